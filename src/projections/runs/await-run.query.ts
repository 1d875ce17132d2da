import { Query } from '@nestjs/cqrs';
import type { Principal } from '../../governance/principal.js';
import type { RunView } from './run-views.js';

export interface AwaitRunOptions {
  /** Position in the log of what the caller wrote: a pause before it is not what is waited for. */
  readonly atLeast?: bigint;
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * The run once it waits for a person or is settled, or as it is when the time is up. Null for a run that does not exist
 * or is not for this principal, who may also have lost sight of it by answering it.
 */
export class AwaitRun extends Query<RunView | null> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
    readonly options: AwaitRunOptions,
  ) {
    super();
  }
}
