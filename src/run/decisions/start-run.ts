import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import type { RunEventType, RunMessage, RunOptions } from '../../events/run-events.js';
import type { RunState, RunStatus } from '../run-state.js';

const DEFAULT_ITERATIONS = 5;
const MOST_ITERATIONS = 20;
/** Of the assembled prompt as JSON: sealed, it still fits into its event. */
export const MOST_PROMPT_BYTES = 360 * 1024;

export interface StartRun {
  readonly ownerId: string;
  readonly configurationId: string;
  readonly allowedTools: readonly string[] | null;
  readonly maxIterations: number | null;
  readonly options: RunOptions;
  readonly forcedSnippetIds: readonly string[];
  readonly forcedSkillIds: readonly string[];
}

/** What the start was found to mean, on the records as they are now. */
export interface StartFacts {
  readonly configurationExists: boolean;
  /** Names in the allow-list that no registered tool has, as places in the list. */
  readonly unknownTools: readonly number[];
  /** The prompt, assembled once (LIF-8). */
  readonly messages: readonly RunMessage[];
  /** Of the prompt as JSON, UTF-8. */
  readonly promptBytes: number;
  readonly sourceIds: readonly string[];
  readonly skippedSourceIds: readonly string[];
  /** A source of the prompt that may not go where the run would send it (SRC-6). */
  readonly ceilingRefusal: { readonly source: string; readonly dataClass: string; readonly zone: string } | null;
  /** Keyed digest of the request; null where no idempotency key was given. */
  readonly requestMac: string | null;
}

export type StartRejection =
  | { readonly code: 'configuration_gone' }
  | { readonly code: 'unknown_tools'; readonly places: readonly number[] }
  | { readonly code: 'idempotency_key_reused' }
  | { readonly code: 'prompt_too_large'; readonly mostBytes: number }
  | { readonly code: 'context_blocked'; readonly source: string; readonly dataClass: string; readonly zone: string };

export type StartReply = { readonly status: RunStatus };

export function decideStartRun(
  state: RunState,
  command: StartRun,
  facts: StartFacts,
): Decision<RunEventType, StartReply, StartRejection> {
  if (state.status !== 'not_started') return repeatedStart(state, command, facts);
  if (!facts.configurationExists) return rejected({ code: 'configuration_gone' });
  if (facts.unknownTools.length > 0) return rejected({ code: 'unknown_tools', places: facts.unknownTools });
  if (facts.ceilingRefusal !== null) return rejected({ code: 'context_blocked', ...facts.ceilingRefusal });
  if (facts.promptBytes > MOST_PROMPT_BYTES)
    return rejected({ code: 'prompt_too_large', mostBytes: MOST_PROMPT_BYTES });
  return accepted<RunEventType, StartReply>(
    [
      {
        type: 'RunStarted',
        data: {
          ownerId: command.ownerId,
          configurationId: command.configurationId,
          allowedTools: command.allowedTools,
          maxIterations: clampIterations(command.maxIterations),
          options: command.options,
          forcedSnippetIds: command.forcedSnippetIds,
          forcedSkillIds: command.forcedSkillIds,
          sourceIds: facts.sourceIds,
          skippedSourceIds: facts.skippedSourceIds,
          requestMac: facts.requestMac,
        },
        content: { messages: facts.messages },
      },
    ],
    { status: 'queued' },
  );
}

/** The same key and the same request mean the same run; anything else under the key is refused, not dropped. */
function repeatedStart(
  state: Exclude<RunState, { status: 'not_started' }>,
  command: StartRun,
  facts: StartFacts,
): Decision<RunEventType, StartReply, StartRejection> {
  const same = facts.requestMac !== null && state.requestMac === facts.requestMac && state.ownerId === command.ownerId;
  return same ? nothingToDo({ status: state.status }) : rejected({ code: 'idempotency_key_reused' });
}

function clampIterations(asked: number | null): number {
  return Math.min(asked ?? DEFAULT_ITERATIONS, MOST_ITERATIONS);
}
