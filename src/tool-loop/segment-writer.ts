import type { Clock } from '../event-store/clock.js';
import { timestamp } from '../event-store/clock.js';
import { RevisionConflict, StoreUnavailable } from '../event-store/errors.js';
import type { DecisionContext, Loaded } from '../event-store/loaded.js';
import type { Streams } from '../event-store/streams.js';
import type { NewRunEvent, RunEvent, RunEventType } from '../events/run-events.js';
import { runFold } from '../run/evolve.js';
import type { RunningRun, RunState } from '../run/run-state.js';

/** The segment no longer owns its run: somebody cancelled it, or took it over. Nothing more of it is written. */
export class SegmentLost extends Error {
  override readonly name = 'SegmentLost';
}

/**
 * The one writer of a segment (CLM-2): step results and lease extensions queue here, and each expects the revision
 * that the one before it wrote. The first conflict means that the run is somebody else's.
 */
export class SegmentWriter {
  private state: RunState;
  private revision: number;
  private queue: Promise<unknown> = Promise.resolve();
  private readonly released = new AbortController();
  private readonly losing = new AbortController();

  constructor(
    private readonly streams: Streams,
    private readonly claimed: Loaded<RunState, RunEventType>,
    private readonly context: DecisionContext,
    private readonly leaseMs: number,
  ) {
    this.state = claimed.state;
    this.revision = claimed.revision as number;
  }

  /** Fires when the run was lost, so that a model call or a tool under way can stop. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** The run as this segment last wrote it. @throws {SegmentLost} it is not running any more. */
  running(): RunningRun {
    if (this.state.status !== 'running') throw new SegmentLost();
    return this.state;
  }

  current(): RunState {
    return this.state;
  }

  /**
   * Appends what happened, behind whatever is queued already.
   *
   * While the store is away the same append is repeated until the lease is over (INP-10).
   *
   * @throws {SegmentLost} @throws {AppendRefused} the events are too large; nothing was written.
   */
  append(events: readonly NewRunEvent[]): Promise<readonly RunEvent[]> {
    const appended = this.queue.then(() => this.appendNow(events));
    this.queue = appended.catch(() => undefined);
    return appended;
  }

  /**
   * Makes sure that the run is still this segment's, by extending a lease that is over: a process that was stopped for
   * longer finds out here, before it does anything in the world.
   *
   * @throws {SegmentLost}
   */
  async ensureLease(): Promise<void> {
    if (this.streams.clock.now() >= this.leaseEnd()) await this.append([]);
  }

  /** Extends the lease until the segment ends, each time a third of it is over. */
  async keepLease(clock: Clock): Promise<void> {
    while (true) {
      await clock.wait(this.leaseMs / 3, this.released.signal);
      if (this.released.signal.aborted) return;
      try {
        await this.append([]);
      } catch {
        // Lost, or the store is away for as long as the lease lasts: whoever appends next meets the same fact.
        return;
      }
    }
  }

  /** Ends the keeping of the lease; what is queued is still written. */
  async release(): Promise<void> {
    this.released.abort();
    await this.queue;
  }

  private async appendNow(given: readonly NewRunEvent[]): Promise<readonly RunEvent[]> {
    if (this.losing.signal.aborted || this.state.status !== 'running') throw new SegmentLost();
    const events = given.length === 0 ? [this.extension(this.state)] : given;
    try {
      const recorded = await this.streams.append<RunEventType>(
        this.claimed.stream,
        this.revision,
        events,
        this.context,
        this.leaseEnd,
      );
      this.state = recorded.reduce(runFold.evolve, this.state);
      this.revision += recorded.length;
      return recorded;
    } catch (error) {
      if (error instanceof RevisionConflict || error instanceof StoreUnavailable) {
        this.losing.abort();
        throw new SegmentLost(undefined, { cause: error });
      }
      throw error;
    }
  }

  /** Decided when its turn has come, not when it was queued: the lease counts from now. */
  private extension({ claim }: RunningRun): NewRunEvent {
    const leaseExpiresAt = timestamp(this.streams.clock.now() + this.leaseMs);
    return { type: 'LeaseExtended', data: { claimId: claim.claimId, leaseExpiresAt } };
  }

  private readonly leaseEnd = (): number =>
    this.state.status === 'running' ? Date.parse(this.state.claim.leaseExpiresAt) : 0;
}
