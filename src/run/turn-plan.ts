import type { JsonObject } from '../events/json.js';
import type { CallContent, CallDisposition, NewRunEvent, RecordedCall, Usage } from '../events/run-events.js';
import { parseIJson } from './i-json.js';
import { isUsableInputSchema } from './input-schema.js';
import type { RunningRun } from './run-state.js';
import { turnDigest } from './turn-digest.js';

/** What the plan has to know of a tool that the model was offered. */
export interface OfferedToolFacts {
  readonly name: string;
  readonly approvalBound: boolean;
  readonly inputSchema: JsonObject | null;
}

/** A model answer as it came, with what was true when it was asked for. */
export interface AnswerFacts {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly callId?: string; readonly toolName: string; readonly arguments: string }[];
  readonly usage: Usage;
  readonly durationMs: number;
  readonly contextObserved: boolean;
  readonly offered: readonly OfferedToolFacts[];
  readonly isRegistered: (toolName: string) => boolean;
  /** Set when the model was asked without tools to end the run. */
  readonly closing: null | 'no_tools' | 'max_iterations';
  /** 128 random bits for the digest of a pause, should there be one (TRN-1). */
  readonly nonce: string;
}

/** More calls than this in one answer are no use to anybody; the answer is refused as a whole. */
export const MAX_CALLS_PER_TURN = 64;

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The events of a model answer, all in one append: the answer with its calls and what they are to become, and the
 * pause or the end where the answer leads straight to one.
 */
export function recordModelAnswer(run: RunningRun, answer: AnswerFacts): readonly NewRunEvent[] {
  const contents = identifyCalls(run, answer);
  const calls = contents.map((call) => recordCall(call, answer));
  const responded: NewRunEvent = {
    type: 'ModelResponded',
    data: {
      iteration: run.iterations + 1,
      model: answer.model,
      usage: answer.usage,
      durationMs: answer.durationMs,
      ...(answer.contextObserved ? { contextObserved: true } : {}),
      calls,
    },
    content: { text: answer.text.toWellFormed(), calls: contents },
  };
  if (answer.closing !== null || calls.length === 0) {
    return [responded, ...calls.map(unansweredCall), completed(run, answer)];
  }
  if (calls.some((call) => call.disposition === 'approval')) return [responded];
  if (calls.some((call) => call.disposition === 'input')) return [responded, suspendForInput(contents, calls, answer)];
  return [responded];
}

/** Call ids are unique in a run; a missing, repeated or malformed one is replaced before it is recorded (LIF-3). */
function identifyCalls(run: RunningRun, answer: AnswerFacts): CallContent[] {
  const taken = new Set(run.callIds);
  return answer.calls.map((call, index) => {
    const callId = freshCallId(call.callId, `call_${run.modelAnswers + 1}_${index + 1}`, taken);
    taken.add(callId);
    // Hashing and storing need well-formed text; what is replaced here is replaced for everybody who looks.
    return { callId, toolName: call.toolName.toWellFormed(), arguments: readArguments(call.arguments.toWellFormed()) };
  });
}

function freshCallId(given: string | undefined, ours: string, taken: ReadonlySet<string>): string {
  if (given !== undefined && CALL_ID.test(given) && !taken.has(given)) return given;
  let callId = ours;
  for (let suffix = 2; taken.has(callId); suffix += 1) callId = `${ours}_${suffix}`;
  return callId;
}

/** An I-JSON object, or the text as it came: so no two different texts give the same arguments (TRN-1). */
export function readArguments(text: string): JsonObject | string {
  // Servers send nothing at all for a call without arguments.
  if (text.trim() === '') return {};
  const parsed = parseIJson(text);
  if (!parsed.ok) return text;
  const { value } = parsed;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : text;
}

function recordCall(call: CallContent, answer: AnswerFacts): RecordedCall {
  const { callId, toolName } = call;
  return {
    callId,
    toolName: answer.isRegistered(toolName) ? toolName : null,
    disposition: dispositionOf(call, answer),
  };
}

function dispositionOf(call: CallContent, answer: AnswerFacts): CallDisposition {
  const tool = answer.offered.find((offered) => offered.name === call.toolName);
  if (tool === undefined) return 'not_offered';
  // Arguments that are no object never pause (INP-6), and nobody is asked to approve what cannot run.
  if (typeof call.arguments === 'string') return 'malformed';
  if (tool.approvalBound) return 'approval';
  return tool.inputSchema === null ? 'run' : 'input';
}

function suspendForInput(
  contents: readonly CallContent[],
  calls: readonly RecordedCall[],
  answer: AnswerFacts,
): NewRunEvent {
  const requests = calls.flatMap(({ callId, toolName, disposition }) => {
    const inputSchema = answer.offered.find((tool) => tool.name === toolName)?.inputSchema;
    return disposition === 'input' && toolName !== null && inputSchema != null
      ? [{ callId, toolName, inputSchema }]
      : [];
  });
  // Asked when the pause is captured: a pause that nobody could answer must not be announced (INP-5).
  if (!requests.every((request) => isUsableInputSchema(request.inputSchema).usable)) {
    return {
      type: 'RunFailed',
      data: { reason: 'corrupt_state', errorClass: 'unusable_schema', detail: 'at_pause' },
    };
  }
  return {
    type: 'RunSuspendedForInput',
    data: { turnDigest: turnDigest({ kind: 'input', nonce: answer.nonce, calls: contents, requests }), requests },
    content: { nonce: answer.nonce },
  };
}

/** A model that was given no tools and calls one all the same: every call id still gets exactly one result (LIF-3). */
function unansweredCall(call: RecordedCall): NewRunEvent {
  const refusal = call.toolName === null ? 'unknown_tool' : 'not_offered';
  return {
    type: 'ToolCallCompleted',
    data: { callId: call.callId, toolName: call.toolName, outcome: 'refused', refusal, durationMs: 0 },
    content: { content: REFUSAL_SENTENCES[refusal] },
  };
}

function completed(run: RunningRun, answer: AnswerFacts): NewRunEvent {
  const truncated = answer.closing === 'max_iterations';
  return {
    type: 'RunCompleted',
    data: {
      reason: truncated ? 'max_iterations' : 'finished',
      truncated,
      usage: {
        inputTokens: run.usage.inputTokens + answer.usage.inputTokens,
        outputTokens: run.usage.outputTokens + answer.usage.outputTokens,
      },
    },
    content: { text: answer.text.toWellFormed() },
  };
}

/** What the model reads in place of a result, in words that hold nothing but the fact (LIF-4). */
export const REFUSAL_SENTENCES = {
  not_offered: 'Error: this tool is not available in this run.',
  unknown_tool: 'Error: there is no tool of this name.',
  malformed_arguments:
    'Error: the arguments are not a valid JSON object; duplicate keys and integers beyond 2^53-1 are not allowed.',
  invalid_arguments: 'Error: the arguments do not fit the parameters of the tool.',
  input_not_provided: 'Error: this tool requires user input that was not provided.',
  not_approved: 'Error: this call needs an approval that it does not have.',
  denied: 'Error: a person denied this call. It was not executed.',
  no_longer_permitted: 'Error: this tool is no longer permitted.',
  tool_failed: 'Error: the tool failed.',
} as const;
