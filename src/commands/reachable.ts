import type { ReachableRun } from '../governance/access.js';
import { isWaiting, type StartedRun } from '../run/run-state.js';

/** As much of a run as the access rule looks at. */
export function reachable(state: StartedRun): ReachableRun {
  return { ownerId: state.ownerId, waiting: isWaiting(state) };
}
