import type { Database, Statement } from '../../sqlite/database.js';
import { openDatabase } from '../../sqlite/open-database.js';
import type { StoredEvent } from '../event-store.js';
import { EVENT_COLUMNS, type EventRow, storedEvent } from './event-row.js';
import { LOG_MIGRATIONS } from './log-schema.js';

/** How long opening waits for somebody who only has a look, in milliseconds. */
const PATIENCE_MS = 1_000;

/** A log that is copied to somewhere else: nobody but this process has it open, so that nothing is added meanwhile. */
export class LogSource {
  readonly #inOrder: Statement<EventRow>;
  readonly #at: Statement<EventRow>;

  private constructor(private readonly database: Database) {
    const bigints = { bigints: true };
    this.#inOrder = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events ORDER BY position`, bigints);
    this.#at = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND revision = ?`, bigints);
  }

  /** @throws {DatabaseUnavailable} `busy`: another process has it open. @throws {SchemaUnknown} */
  static open(path: string): LogSource {
    return new LogSource(
      openDatabase(path, { exclusive: true, busyTimeoutMs: PATIENCE_MS, migrations: LOG_MIGRATIONS }),
    );
  }

  *events(): Generator<StoredEvent> {
    for (const row of this.#inOrder.iterate()) yield storedEvent(row);
  }

  at(stream: string, revision: number): StoredEvent | undefined {
    const row = this.#at.get(stream, revision);
    return row === undefined ? undefined : storedEvent(row);
  }

  /** What streams are called up to their first hyphen, the hyphen included. */
  prefixes(): string[] {
    const sql = 'SELECT DISTINCT kind FROM events';
    return this.database
      .prepare<{ readonly kind: string }>(sql)
      .all()
      .map(({ kind }) => kind);
  }

  count(): { readonly events: number; readonly streams: number } {
    const sql = 'SELECT count(*) AS events, count(DISTINCT stream) AS streams FROM events';
    return this.database.prepare<{ events: number; streams: number }>(sql).get() ?? { events: 0, streams: 0 };
  }

  close(): void {
    this.database.close();
  }
}
