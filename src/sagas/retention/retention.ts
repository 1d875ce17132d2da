import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EraseContent } from '../../commands/erase-content.command.js';
import { Clock } from '../../event-store/clock.js';
import { EventCodec } from '../../event-store/codec.js';
import { Entropy } from '../../event-store/entropy.js';
import { EventStore } from '../../event-store/event-store.js';
import { describeFailure } from '../../logging/describe-failure.js';
import { reportTo } from '../../subscriptions/feed-log.js';
import { FeedRunner } from '../../subscriptions/feed-runner.js';
import { ContentRetention, type RetentionSettings } from './content-retention.js';
import { ErasureTable } from './erasure-table.js';

export class RetentionOptions {
  constructor(
    /** Path of the table's file. It is disposable: deleted, it is made anew from the log. */
    readonly file: string,
    readonly settings: RetentionSettings,
  ) {}
}

/** Erases content when its time has come, for as long as the application runs. */
@Injectable()
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly table: ErasureTable;
  private readonly feed: FeedRunner;
  private readonly retention: ContentRetention;

  constructor(
    options: RetentionOptions,
    commands: CommandBus,
    store: EventStore,
    codec: EventCodec,
    clock: Clock,
    entropy: Entropy,
  ) {
    const logger = new Logger('Retention');
    this.table = ErasureTable.open(options.file, () => this.retention.wake());
    this.retention = new ContentRetention(
      this.table,
      async (runId, scope, reason) => {
        await commands.execute(
          new EraseContent({ kind: 'system', id: 'retention' }, runId, [scope], reason, entropy.uuid()),
        );
      },
      clock,
      options.settings,
      (failure) => logger.warn(describeFailure(failure), 'content could not be erased now'),
    );
    this.feed = new FeedRunner(this.table, { store, codec, clock, entropy }, { report: reportTo(logger) });
  }

  onApplicationBootstrap(): void {
    this.feed.start();
    this.retention.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.retention.stop();
    await this.feed.stop();
  }

  onApplicationShutdown(): void {
    this.table.close();
  }
}
