import { Query } from '@nestjs/cqrs';

/** A run of which the read model knows something new; what it is, is asked with another query. */
export interface RunChange {
  readonly runId: string;
  readonly ownerId: string;
  readonly revision: number;
  /** Waits for a person at this moment. */
  readonly waiting: boolean;
  /** Waits, or waited last: whoever could answer it has seen it. */
  readonly hasPaused: boolean;
}

/**
 * The changes of all runs from now on, in batches, until the signal fires. Whoever passes them on asks first who may see
 * each. A reader that is slow finds several changes of a run in one.
 */
export class WatchRuns extends Query<AsyncIterable<readonly RunChange[]>> {
  constructor(readonly signal: AbortSignal) {
    super();
  }
}
