import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import type { RunContentErased, RunEventType } from '../../events/run-events.js';
import { isSettled, type RunState, type RunStatus } from '../run-state.js';

export type ErasureScope = RunContentErased['data']['scope'];

export interface EraseContent {
  readonly scopes: readonly ErasureScope[];
  readonly reason: RunContentErased['data']['reason'];
}

export type EraseRejection =
  | { readonly code: 'run_not_found' }
  /** The run still needs its content; cancel it first. */
  | { readonly code: 'run_not_settled'; readonly status: RunStatus };

/** From this event on content counts as erased, whatever keys are still about (SEA-3). */
export function decideEraseContent(
  state: RunState,
  { scopes, reason }: EraseContent,
): Decision<RunEventType, object, EraseRejection> {
  if (state.status === 'not_started') return rejected({ code: 'run_not_found' });
  if (!isSettled(state)) return rejected({ code: 'run_not_settled', status: state.status });
  const left = scopes.filter((scope) => !state.erased[scope]);
  if (left.length === 0) return nothingToDo({});
  return accepted<RunEventType, object>(
    left.map((scope) => ({ type: 'RunContentErased', data: { scope, reason } })),
    {},
  );
}
