import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { Entropy } from '../event-store/entropy.js';
import { EventStore } from '../event-store/event-store.js';
import { Streams } from '../event-store/streams.js';
import { AuditFeed } from './audit/audit-feed.js';
import { AuditTable } from './audit/audit-table.js';
import { ListAuditHandler } from './audit/list-audit.handler.js';
import { ListRecordsHandler } from './records/list-records.handler.js';
import { RecordsFeed } from './records/records-feed.js';
import { RecordsTable } from './records/records-table.js';
import { AwaitRunHandler } from './runs/await-run.handler.js';
import { GetPauseHandler } from './runs/get-pause.handler.js';
import { GetRunHandler } from './runs/get-run.handler.js';
import { GetTimelineHandler } from './runs/get-timeline.handler.js';
import { ListInboxHandler } from './runs/list-inbox.handler.js';
import { ListRunsHandler } from './runs/list-runs.handler.js';
import { OutcomeReader } from './runs/outcome-reader.js';
import { RunChanges } from './runs/run-changes.js';
import { RunFinder } from './runs/run-finder.js';
import { RunsFeed } from './runs/runs-feed.js';
import { RunsProjection } from './runs/runs-projection.js';
import { RunsTable } from './runs/runs-table.js';
import { WatchRunsHandler } from './runs/watch-runs.handler.js';

export interface ProjectionsOptions {
  /** Path of the file of runs. It is disposable: deleted, it is made anew from the log. */
  readonly file: string;
  /** Path of the audit's file, disposable too. */
  readonly auditFile: string;
  /** Path of the file of the lists of governance records, disposable too. */
  readonly recordsFile: string;
}

/** The read models and the queries on them. `EventStore`, `EventCodec`, `Streams`, `Clock` and `Entropy` come from outside. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: to Nest a module is a class.
export class ProjectionsModule {
  static forRoot({ file, auditFile, recordsFile }: ProjectionsOptions): DynamicModule {
    return {
      module: ProjectionsModule,
      providers: [
        { provide: RunsTable, useFactory: () => RunsTable.open(file) },
        { provide: RunChanges, useFactory: (clock: Clock) => new RunChanges(clock), inject: [Clock] },
        {
          provide: RunsProjection,
          useFactory: (table: RunsTable, changes: RunChanges) => new RunsProjection(table, changes),
          inject: [RunsTable, RunChanges],
        },
        RunsFeed,
        {
          provide: RunFinder,
          useFactory: (table: RunsTable, feed: RunsFeed, store: EventStore) => new RunFinder(table, feed, store),
          inject: [RunsTable, RunsFeed, EventStore],
        },
        {
          provide: OutcomeReader,
          useFactory: (streams: Streams, table: RunsTable) => new OutcomeReader(streams, table),
          inject: [Streams, RunsTable],
        },
        { provide: AuditTable, useFactory: () => AuditTable.open(auditFile) },
        {
          provide: AuditFeed,
          useFactory: (table: AuditTable, store: EventStore, codec: EventCodec, clock: Clock, entropy: Entropy) =>
            new AuditFeed(table, store, codec, clock, entropy),
          inject: [AuditTable, EventStore, EventCodec, Clock, Entropy],
        },
        ListAuditHandler,
        { provide: RecordsTable, useFactory: () => RecordsTable.open(recordsFile) },
        {
          provide: RecordsFeed,
          useFactory: (table: RecordsTable, store: EventStore, codec: EventCodec, clock: Clock, entropy: Entropy) =>
            new RecordsFeed(table, store, codec, clock, entropy),
          inject: [RecordsTable, EventStore, EventCodec, Clock, Entropy],
        },
        ListRecordsHandler,
        GetRunHandler,
        ListRunsHandler,
        ListInboxHandler,
        GetPauseHandler,
        GetTimelineHandler,
        AwaitRunHandler,
        WatchRunsHandler,
      ],
      exports: [RunsFeed, RunChanges, AuditFeed, RecordsFeed],
    };
  }
}
