import { accepted, type Decision, type Fold, nothingToDo } from '../../events/decider.js';
import type { AnswerRefused } from '../../events/refusal-events.js';

export type RefusedAttempt = AnswerRefused['data'];

/** What is known of the refused answers to one run. */
export interface RecordedRefusals {
  readonly count: number;
  /** One entry for each sort of attempt that was recorded. */
  readonly sorts: ReadonlySet<string>;
}

/** Attempts that are recorded of a run one by one; behind that only those that are of a new sort. */
export const MOST_RECORDED = 1_000;

/** Attempts that are recorded at all: by then the record tells whatever it is going to tell. */
export const MOST_ALTOGETHER = 2_000;

export const refusalsFold: Fold<RecordedRefusals, AnswerRefused> = {
  initialState: { count: 0, sorts: new Set() },
  evolve: ({ count, sorts }, { data }) => {
    const sort = sortOf(data);
    return { count: count + 1, sorts: sorts.has(sort) ? sorts : new Set(sorts).add(sort) };
  },
};

/**
 * Each refused attempt is recorded (SUB-9), up to a bound: whoever is refused can try again as often as they like, and
 * must not be able to fill the log by it. Behind the bound the first attempt of each sort (who, how, why, on which turn)
 * is still recorded, so that nobody can hide behind the noise of somebody else.
 */
export function decideRecordRefusal(
  recorded: RecordedRefusals,
  attempt: RefusedAttempt,
): Decision<AnswerRefused, 'recorded' | 'only_counted', never> {
  const told = recorded.count >= MOST_RECORDED && recorded.sorts.has(sortOf(attempt));
  if (told || recorded.count >= MOST_ALTOGETHER) return nothingToDo('only_counted');
  return accepted<AnswerRefused, 'recorded'>([{ type: 'AnswerRefused', data: attempt }], 'recorded');
}

function sortOf({ attemptedBy, answer, refusal, reason, toolName, sourceId, turnDigest }: RefusedAttempt): string {
  return JSON.stringify([attemptedBy, answer, refusal, reason, toolName, sourceId, turnDigest]);
}
