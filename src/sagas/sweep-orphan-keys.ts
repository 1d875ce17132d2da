import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../event-store/clock.js';
import { EventStore } from '../event-store/event-store.js';
import { KeyStore } from '../event-store/key-store.js';
import { describeFailure } from '../logging/describe-failure.js';

const HOUR_MS = 3_600_000;

/**
 * Destroys the keys of runs that were never started, because whoever made them died before the first event: at the start
 * and every hour, those that are older than an hour. One sweep at a time is harmless beside those of other processes.
 */
@Injectable()
export class SweepOrphanKeys implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Keys');
  private readonly stopping = new AbortController();
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly keys: KeyStore,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = this.sweepHourly();
  }

  /** While keys and log are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.sweeping;
  }

  private async sweepHourly(): Promise<void> {
    let lastSweptAt = Number.POSITIVE_INFINITY;
    while (!this.stopping.signal.aborted) {
      const nowMs = this.clock.now();
      // What was made since the last sweep is not an hour old, however far the clock was put forward meanwhile: a run may
      // be about to begin with it.
      await this.sweep(Math.min(nowMs - HOUR_MS, lastSweptAt));
      lastSweptAt = nowMs;
      await this.clock.wait(HOUR_MS, this.stopping.signal);
    }
  }

  private async sweep(madeBeforeMs: number): Promise<void> {
    try {
      const swept = await this.keys.sweepOrphans(madeBeforeMs, (stream) => this.isUsed(stream));
      if (swept > 0) this.logger.log(`keys of ${swept} streams that never began are destroyed`);
    } catch (failure) {
      if (this.stopping.signal.aborted) return;
      this.logger.warn(describeFailure(failure), 'orphan keys could not be swept; tried again in an hour');
    }
  }

  /** A service that is to end ends the sweep, too: what was not asked about is asked about at the next start. */
  private async isUsed(stream: string): Promise<boolean> {
    if (this.stopping.signal.aborted) throw new Error('the service ends');
    return (await this.store.read(stream)).length > 0;
  }
}
