import type { Executed } from '../event-store/loaded.js';
import type { RunEventType } from '../events/run-events.js';
import type { RunState } from '../run/run-state.js';
import type { RunCommandResult } from './run-command-result.js';

/** What a caller is told of an executed command: the reply, and where the run stands by it. */
export function resultOf<Reply extends object, Rejection>(
  runId: string,
  executed: Executed<RunEventType, RunState, Reply, Rejection>,
): RunCommandResult<Reply, Rejection> {
  if (executed.outcome === 'rejected') return { outcome: 'rejected', rejection: executed.rejection };
  const { outcome, reply, state, revision, position } = executed;
  // Whatever was accepted or found done was so on a run that exists.
  const status = state.status === 'not_started' ? 'queued' : state.status;
  return { ...reply, outcome, runId, status, revision, position };
}
