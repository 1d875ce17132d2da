import type { DataFile } from '../config/data-files.js';
import { SystemClock } from '../event-store/clock.js';
import { AUDIT_MODEL } from '../projections/audit/audit-file.js';
import { AuditProjection } from '../projections/audit/audit-projection.js';
import { AuditTable } from '../projections/audit/audit-table.js';
import { RECORDS_MODEL } from '../projections/records/records-file.js';
import { RecordsProjection } from '../projections/records/records-projection.js';
import { RecordsTable } from '../projections/records/records-table.js';
import { RunChanges } from '../projections/runs/run-changes.js';
import { READ_MODELS } from '../projections/runs/runs-file.js';
import { RunsProjection } from '../projections/runs/runs-projection.js';
import { RunsTable } from '../projections/runs/runs-table.js';
import { DUE_FILE } from '../sagas/due-file.js';
import { DueTable } from '../sagas/due-table.js';
import { ERASURES_FILE, ErasureTable } from '../sagas/retention/erasure-table.js';
import type { Database } from '../sqlite/database.js';
import type { DisposableKind } from '../subscriptions/disposable-database.js';
import type { FeedConsumer } from '../subscriptions/feed-consumer.js';

/** A file that holds nothing but what the log can make again, and what makes it. */
export interface Disposable {
  /** The consumer's name, by which it is called. */
  readonly name: string;
  readonly file: DataFile;
  readonly kind: DisposableKind;
  readonly consumerOn: (database: Database) => FeedConsumer;
}

export const DISPOSABLES: readonly Disposable[] = [
  {
    name: 'runs',
    file: 'readModels',
    kind: READ_MODELS,
    consumerOn: (database) => new RunsProjection(new RunsTable(database), new RunChanges(new SystemClock())),
  },
  {
    name: 'audit',
    file: 'audit',
    kind: AUDIT_MODEL,
    consumerOn: (database) => new AuditProjection(new AuditTable(database)),
  },
  {
    name: 'records',
    file: 'records',
    kind: RECORDS_MODEL,
    consumerOn: (database) => new RecordsProjection(new RecordsTable(database)),
  },
  {
    name: 'erasures',
    file: 'erasures',
    kind: ERASURES_FILE,
    consumerOn: (database) => new ErasureTable(database),
  },
  { name: 'due', file: 'due', kind: DUE_FILE, consumerOn: (database) => new DueTable(database) },
];
