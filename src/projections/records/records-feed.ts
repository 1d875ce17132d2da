import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Clock } from '../../event-store/clock.js';
import { EventCodec } from '../../event-store/codec.js';
import { Entropy } from '../../event-store/entropy.js';
import { EventStore } from '../../event-store/event-store.js';
import { reportTo } from '../../subscriptions/feed-log.js';
import { type FeedReading, FeedRunner } from '../../subscriptions/feed-runner.js';
import type { WaitLimits } from '../../subscriptions/position-waiters.js';
import { RecordsProjection } from './records-projection.js';
import { RecordsTable } from './records-table.js';

/** Keeps the lists of records up with the log for as long as the application runs. */
@Injectable()
export class RecordsFeed implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly runner: FeedRunner;

  constructor(
    private readonly table: RecordsTable,
    store: EventStore,
    codec: EventCodec,
    clock: Clock,
    entropy: Entropy,
  ) {
    const report = reportTo(new Logger(RecordsFeed.name));
    this.runner = new FeedRunner(new RecordsProjection(table), { store, codec, clock, entropy }, { report });
  }

  /** Whether the rows got to the position within the limits. */
  waitFor(position: bigint, limits: WaitLimits): Promise<boolean> {
    return this.runner.waitFor(position, limits);
  }

  reading(): FeedReading {
    return this.runner.reading();
  }

  onApplicationBootstrap(): void {
    this.runner.start();
  }

  /** Before the store is closed. */
  beforeApplicationShutdown(): Promise<void> {
    return this.runner.stop();
  }

  /** After the last request was answered. */
  onApplicationShutdown(): void {
    this.table.close();
  }
}
