import { Query } from '@nestjs/cqrs';
import type { Principal } from '../../governance/principal.js';
import type { RunView } from './run-views.js';

export { MOST_AHEAD, type QueueView, type RunView } from './run-views.js';

/** One run with its final answer, or its place in the queue; null for a run that does not exist or is not for this principal. */
export class GetRun extends Query<RunView | null> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
    /** `atLeast`: position in the log that the answer must know of, as commands return it. */
    readonly options: { readonly atLeast?: bigint } = {},
  ) {
    super();
  }
}
