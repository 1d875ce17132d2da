import { setImmediate as afterIo } from 'node:timers/promises';
import { retryWhileBusy } from '../../sqlite/busy.js';
import type { Database, Statement } from '../../sqlite/database.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { assertRepeat, firstRevision } from '../append-guard.js';
import { checkAppend } from '../append-limits.js';
import {
  type Appended,
  BEGINNING,
  EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FeedOptions,
  type NewEvent,
  type StoredEvent,
} from '../event-store.js';
import { ChangeWatch } from './change-watch.js';
import { EVENT_COLUMNS, type EventRow, storedEvent } from './event-row.js';
import { LogFeed } from './log-feed.js';
import { LOG_MIGRATIONS } from './log-schema.js';
import { asStoreError, inPortWords } from './unavailable.js';

export interface SqliteEventStoreOptions {
  /** The log's file, made when there is none. Several processes of one machine may open it. */
  readonly path: string;
  /** How often feeds look for what other processes have appended, in milliseconds. Default 100. */
  readonly pollMs?: number;
}

interface StoredAppend {
  readonly id: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** The event log in one SQLite file. Reads see what is committed and never wait for a writer. */
export class SqliteEventStore extends EventStore {
  readonly #database: Database;
  readonly #writes: GroupCommit;
  readonly #watch: ChangeWatch;
  readonly #lastRevision: Statement<{ revision: bigint | null }>;
  readonly #storedFrom: Statement<StoredAppend>;
  readonly #insert: Statement<{ position: bigint }>;
  readonly #readFrom: Statement<EventRow>;
  readonly #lastPosition: Statement<{ position: bigint }>;
  readonly #delete: Statement<unknown>;
  #closing: Promise<void> | undefined;

  private constructor(database: Database, pollMs: number) {
    super();
    const bigints = { bigints: true };
    this.#database = database;
    this.#writes = new GroupCommit(database);
    this.#lastRevision = database.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?', bigints);
    this.#storedFrom = database.prepare(
      'SELECT id, revision, position FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
      bigints,
    );
    this.#insert = database.prepare(
      'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?) RETURNING position',
      bigints,
    );
    this.#readFrom = database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision`,
      bigints,
    );
    this.#lastPosition = database.prepare("SELECT seq AS position FROM sqlite_sequence WHERE name = 'events'", bigints);
    this.#delete = database.prepare('DELETE FROM events WHERE stream = ?');
    const dataVersion = database.prepare<{ data_version: number }>('PRAGMA data_version');
    this.#watch = new ChangeWatch(() => dataVersion.get()?.data_version, pollMs);
  }

  /**
   * @throws {StoreUnavailable} the file cannot be opened.
   * @throws {SchemaUnknown} the file is not an event log, or one of a newer version.
   */
  static open({ path, pollMs = 100 }: SqliteEventStoreOptions): SqliteEventStore {
    try {
      return new SqliteEventStore(openDatabase(path, { migrations: LOG_MIGRATIONS }), pollMs);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    const bytes = checkAppend(stream, expected, events);
    try {
      return await this.#writes.write(() => this.#appendNow(stream, expected, events), bytes);
    } catch (error) {
      throw asStoreError(error);
    } finally {
      // Also after a failure: an append whose outcome is unknown may have landed.
      this.#watch.wakeAll();
    }
  }

  #appendNow(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Appended {
    const last = this.#lastRevision.get(stream)?.revision;
    const actual = last == null ? 'no_stream' : Number(last);
    const first = firstRevision(expected);
    if (actual !== expected) {
      const stored = this.#storedFrom.all(stream, first, events.length);
      const ids = stored.map((event) => event.id);
      assertRepeat(stream, expected, actual, events, ids);
      const { revision, position } = stored[stored.length - 1] as StoredAppend;
      return { revision: Number(revision), position };
    }
    let position = BEGINNING;
    events.forEach(({ id, type, data, metadata }, index) => {
      position = this.#insert.get(stream, first + index, id, type, data, metadata)?.position ?? position;
    });
    return { revision: first + events.length - 1, position };
  }

  override read(stream: string, from = 0): Promise<readonly StoredEvent[]> {
    return inPortWords(() => retryWhileBusy(() => this.#readFrom.all(stream, from).map(storedEvent)));
  }

  override async *subscribe({ after, prefixes, signal }: FeedOptions): AsyncGenerator<FeedBatch> {
    try {
      const feed = new LogFeed(this.#database, prefixes, () => this.#headNow());
      let batch: FeedBatch | undefined;
      while (!signal.aborted) {
        const position: bigint = batch?.position ?? after;
        const next = await retryWhileBusy(() => feed.next(position));
        if (signal.aborted) return;
        if (batch === undefined || next.position > position) {
          batch = next;
          yield next;
          if (!next.caughtUp) await afterIo();
        } else {
          await this.#watch.changed(signal);
        }
      }
    } catch (error) {
      throw asStoreError(error);
    }
  }

  override head(): Promise<bigint> {
    return inPortWords(() => retryWhileBusy(() => this.#headNow()));
  }

  /** SQLite's own counter: unlike the greatest position in the table it never goes back when a stream is deleted. */
  #headNow(): bigint {
    return this.#lastPosition.get()?.position ?? BEGINNING;
  }

  override deleteStream(stream: string): Promise<void> {
    return inPortWords(() =>
      this.#writes.write(() => {
        this.#delete.run(stream);
      }),
    );
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writes.close();
    this.#database.close();
    this.#watch.wakeAll();
  }
}
