import { accepted, type Decision, rejected } from '../../events/decider.js';
import type { RunEventType } from '../../events/run-events.js';
import { isSettled, type RunState, type SettledRun } from '../run-state.js';

export interface CancelRun {
  readonly principalId: string;
}

export type CancelRejection =
  | { readonly code: 'run_not_found' }
  | { readonly code: 'run_settled'; readonly status: SettledRun['status'] };

/** Cancel wins over anything in flight: whatever a segment appends after it meets a conflict and ends there (LIF-6). */
export function decideCancelRun(
  state: RunState,
  command: CancelRun,
  facts: { readonly reaches: boolean },
): Decision<RunEventType, { readonly status: 'cancelled' }, CancelRejection> {
  if (state.status === 'not_started' || !facts.reaches) return rejected({ code: 'run_not_found' });
  if (isSettled(state)) return rejected({ code: 'run_settled', status: state.status });
  return accepted<RunEventType, { status: 'cancelled' }>(
    [{ type: 'RunCancelled', data: { cancelledBy: command.principalId } }],
    { status: 'cancelled' },
  );
}
