import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import type { InputRequest, RunEventType } from '../../events/run-events.js';
import { checkAnswer, overlay } from '../overlay.js';
import {
  type AnsweredTurn,
  type InputPause,
  isSettled,
  type Pause,
  type RunState,
  type RunStatus,
} from '../run-state.js';
import { sameDigest } from '../turn-digest.js';

/** A submission as it was posted; nothing of it has been looked at yet (TRN-3). */
export interface SubmitInput {
  readonly principalId: string;
  readonly turnDigest: unknown;
  readonly values: PostedValues;
}

/** Values for each request by its call id, or for the only one that is open. */
export type PostedValues =
  | { readonly form: 'answers'; readonly answers: JsonValue }
  | { readonly form: 'data'; readonly data: JsonValue };

export interface SubmitFacts {
  readonly reaches: boolean;
  /** Keyed digest of the values as posted for the turn they name; null where the key is gone or the turn is unknown. */
  readonly answerMac: string | null;
  /** Whether the pause opens and its digest comes out the same when computed again; `none` where the run does not wait. */
  readonly pause: 'none' | 'sound' | 'corrupt';
  readonly configurationExists: boolean;
  /** The first call that the submitter could not run themselves (SUB-2). */
  readonly submitterRefusal: { readonly toolName: string | null; readonly reason: string } | null;
  readonly ceilingRefusal: { readonly source: string; readonly dataClass: string; readonly zone: string } | null;
}

export interface SubmitFault {
  readonly callId: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

export type SubmitRejection =
  | { readonly code: 'run_not_found' }
  | { readonly code: 'already_answered'; readonly answeredAt: string }
  | { readonly code: 'run_settled'; readonly status: RunStatus }
  | { readonly code: 'not_awaiting_input'; readonly status: RunStatus }
  | { readonly code: 'corrupt_suspended_state' }
  | { readonly code: 'configuration_gone' }
  | { readonly code: 'stale_turn'; readonly pause: Pause }
  | { readonly code: 'submitter_not_permitted'; readonly toolName: string | null; readonly reason: string }
  | { readonly code: 'context_blocked'; readonly source: string; readonly dataClass: string; readonly zone: string }
  | { readonly code: 'invalid_input'; readonly faults: readonly SubmitFault[]; readonly truncated: boolean };

export interface SubmitReply {
  readonly submission: 'accepted' | 'replayed';
  readonly status: RunStatus;
  /** Keys of the submission that no schema declares, as JSON pointers into `answers`: they were not taken. */
  readonly ignoredKeys: readonly string[];
}

type SubmitDecision = Decision<RunEventType, SubmitReply, SubmitRejection>;

/** The checks of TRN-5, in its order; the schema last, and everything before anything is written (INP-3). */
export function decideSubmitInput(state: RunState, command: SubmitInput, facts: SubmitFacts): SubmitDecision {
  if (state.status === 'not_started' || !facts.reaches) return rejected({ code: 'run_not_found' });
  const earlier = answeredTurn(state, command.turnDigest);
  if (earlier !== null) return secondAnswer(state.status, earlier, command, facts);
  if (isSettled(state)) return rejected({ code: 'run_settled', status: state.status });
  if (state.status !== 'waiting_for_input') return rejected({ code: 'not_awaiting_input', status: state.status });
  if (facts.pause !== 'sound') return rejected({ code: 'corrupt_suspended_state' });
  if (!facts.configurationExists) return rejected({ code: 'configuration_gone' });
  if (!sameDigest(command.turnDigest, state.pause.turnDigest)) {
    return rejected({ code: 'stale_turn', pause: state.pause });
  }
  if (facts.submitterRefusal !== null) return rejected({ code: 'submitter_not_permitted', ...facts.submitterRefusal });
  if (facts.ceilingRefusal !== null) return rejected({ code: 'context_blocked', ...facts.ceilingRefusal });
  return acceptValid(state.pause, command, facts);
}

/** The turn that was answered on exactly this digest, if there was one. */
export function answeredTurn(state: RunState, presented: unknown): AnsweredTurn | null {
  if (state.status === 'not_started' || typeof presented !== 'string') return null;
  return state.answered.get(presented) ?? null;
}

/** An identical repeat by the same principal is told so and changes nothing, also long after the run went on (TRN-5). */
function secondAnswer(
  status: RunStatus,
  earlier: AnsweredTurn,
  command: SubmitInput,
  facts: SubmitFacts,
): SubmitDecision {
  const identical =
    earlier.kind === 'input' &&
    earlier.by === command.principalId &&
    facts.answerMac !== null &&
    facts.answerMac === earlier.mac;
  return identical
    ? nothingToDo({ submission: 'replayed', status, ignoredKeys: [] })
    : rejected({ code: 'already_answered', answeredAt: earlier.at });
}

function acceptValid(pause: InputPause, command: SubmitInput, facts: SubmitFacts): SubmitDecision {
  const checked = checkSubmission(pause.requests, command.values);
  if (!checked.valid) return rejected({ code: 'invalid_input', faults: checked.faults, truncated: checked.truncated });
  if (facts.answerMac === null) return rejected({ code: 'corrupt_suspended_state' });
  return accepted<RunEventType, SubmitReply>(
    [
      {
        type: 'InputSubmitted',
        data: { submittedBy: command.principalId, turnDigest: pause.turnDigest, answerMac: facts.answerMac },
        content: { answers: checked.answers },
      },
    ],
    { submission: 'accepted', status: 'queued', ignoredKeys: checked.ignoredKeys },
  );
}

/** The posted values by call id; null where `data` does not say which of several requests it is for. */
export function valuesByCall(callIds: readonly string[], values: PostedValues): JsonValue | null {
  if (values.form === 'answers') return values.answers;
  const [only, ...others] = callIds;
  return only === undefined || others.length > 0 ? null : { [only]: values.data };
}

type CheckedSubmission =
  | { readonly valid: true; readonly answers: JsonObject; readonly ignoredKeys: readonly string[] }
  | { readonly valid: false; readonly faults: readonly SubmitFault[]; readonly truncated: boolean };

/** Faults that are told at most; behind them only that there are more (INP-3). */
const MOST_FAULTS = 200;

/** All requests of a pause are answered at once, each against its own schema, all or nothing (INP-9). */
function checkSubmission(requests: readonly InputRequest[], values: PostedValues): CheckedSubmission {
  const callIds = requests.map((request) => request.callId);
  const posted = valuesByCall(callIds, values);
  if (posted === null && values.form === 'data') {
    return invalid([fault('', '', 'answers', 'several requests are open: send answers by call id, not data')]);
  }
  if (!isJsonObject(posted))
    return invalid([fault('', '', 'type', 'answers must be an object with one member per call id')]);
  const faults: SubmitFault[] = [];
  const unknown = Object.keys(posted).filter((callId) => !callIds.includes(callId)).length;
  if (unknown > 0)
    faults.push(fault('', '', 'unknownCall', `${unknown} of the answers name no open request of this turn`));
  const answers: [string, JsonValue][] = [];
  const ignoredKeys: string[] = [];
  let truncated = false;
  for (const { callId, inputSchema } of requests) {
    if (!Object.hasOwn(posted, callId)) {
      faults.push(fault(callId, '', 'required', 'an answer to this request is missing'));
      continue;
    }
    const answer = posted[callId] as JsonObject;
    const checked = checkAnswer(inputSchema, answer);
    if (!checked.valid) {
      faults.push(...checked.faults.map(({ pointer, keyword, message }) => fault(callId, pointer, keyword, message)));
      truncated ||= checked.truncated === true;
      continue;
    }
    // Laid over nothing: exactly what will be taken of the answer, and what will not.
    const taken = overlay({}, inputSchema, answer);
    answers.push([callId, taken.arguments]);
    ignoredKeys.push(...taken.ignoredKeys.map((key) => `/${callId}/${escapePointer(key)}`));
  }
  if (faults.length > 0) return invalid(faults, truncated);
  return { valid: true, answers: Object.fromEntries(answers), ignoredKeys };
}

function invalid(faults: readonly SubmitFault[], truncated = false): CheckedSubmission {
  return {
    valid: false,
    faults: faults.slice(0, MOST_FAULTS),
    truncated: truncated || faults.length > MOST_FAULTS,
  };
}

function fault(callId: string, pointer: string, keyword: string, message: string): SubmitFault {
  return { callId, pointer, keyword, message };
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
