import type { Database, Statement } from '../../sqlite/database.js';
import { DatabaseUnavailable, SchemaUnknown } from '../../sqlite/errors.js';
import type { Migrations } from '../../sqlite/migrations.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { BEGINNING, type StoredEvent } from '../event-store.js';
import { EVENT_COLUMNS, type EventRow, storedEvent } from './event-row.js';
import { LOG_MIGRATIONS } from './log-schema.js';

/** Reads a log's file as it lies there, without a write, while services may go on with it. */
export class LogInspection {
  readonly #events: Statement<EventRow>;
  readonly #see: Statement<unknown>;
  readonly #seen: Statement<{ readonly stream: string }>;

  private constructor(private readonly database: Database) {
    // Private to this connection, and on the disk where it grows.
    database.exec('CREATE TEMP TABLE seen_ids (id TEXT PRIMARY KEY, stream TEXT NOT NULL) STRICT, WITHOUT ROWID');
    this.#events = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? ORDER BY revision`, {
      bigints: true,
    });
    this.#see = database.prepare('INSERT INTO temp.seen_ids VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#seen = database.prepare('SELECT stream FROM temp.seen_ids WHERE id = ?');
  }

  /** @throws {SchemaUnknown} it is no log, or one of a newer version. @throws {DatabaseUnavailable} */
  static open(path: string): LogInspection {
    return new LogInspection(openToRead(path, LOG_MIGRATIONS));
  }

  /** What SQLite finds wrong with the file; nothing for a file that is sound. Says pages and indexes, never content. */
  faultsOfFile(): string[] {
    return integrityFaults(this.database);
  }

  /**
   * Every stream once. Where a page of the index that knows them is damaged, index and events are gone through from both
   * ends, each as far as it goes.
   */
  streams(): Iterable<string> {
    const names = new Set<string>();
    if (this.#gather(names, 'events', 'stream')) return names;
    const scans = [
      ['events', 'stream DESC'],
      ['events NOT INDEXED', 'position'],
      ['events NOT INDEXED', 'position DESC'],
    ] as const;
    for (const [table, order] of scans) this.#gather(names, table, order);
    return names;
  }

  /** @throws {DatabaseUnavailable} `corrupt`: pages on which events of this stream are. */
  events(stream: string): StoredEvent[] {
    return this.#events.all(stream).map(storedEvent);
  }

  /** The stream in which an event of this id was seen before; notes this one otherwise. */
  seenBefore(id: string, stream: string): string | undefined {
    if (this.#see.run(id, stream) > 0) return undefined;
    return this.#seen.get(id)?.stream;
  }

  head(): bigint {
    const sql = "SELECT seq AS head FROM sqlite_sequence WHERE name = 'events'";
    return this.database.prepare<{ head: bigint }>(sql, { bigints: true }).get()?.head ?? BEGINNING;
  }

  close(): void {
    this.database.close();
  }

  /** False where it met a damaged page. */
  #gather(names: Set<string>, table: string, order: string): boolean {
    const rows = this.database.prepare<{ stream: string }>(`SELECT stream FROM ${table} ORDER BY ${order}`);
    try {
      for (const { stream } of rows.iterate()) names.add(stream);
      return true;
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return false;
    }
  }
}

/**
 * Opens a file of one kind to read it, whatever of its versions it is of.
 *
 * @throws {SchemaUnknown} @throws {DatabaseUnavailable}
 */
export function openToRead(path: string, { applicationId, steps }: Migrations): Database {
  const database = openDatabase(path, { readOnly: true });
  const sql = `SELECT (SELECT application_id FROM pragma_application_id) AS kind,
    (SELECT user_version FROM pragma_user_version) AS version`;
  try {
    const { kind, version } = database.prepare<{ kind: number; version: number }>(sql).get() ?? {};
    if (kind !== applicationId || (version ?? 0) > steps.length) {
      throw new SchemaUnknown(`${path} is of a newer version, or an SQLite database of another kind`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function integrityFaults(database: Database): string[] {
  try {
    const rows = database.prepare<{ integrity_check: string }>('PRAGMA integrity_check(20)').all();
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return ['the file is damaged beyond what SQLite can tell'];
  }
}

export function isCorrupt(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.reason === 'corrupt';
}
