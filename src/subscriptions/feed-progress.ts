import { BEGINNING } from '../event-store/event-store.js';
import type { Database, Statement } from '../sqlite/database.js';
import { type ParkedEvent, RetryLater } from './feed-consumer.js';

/**
 * The tables that {@link FeedProgress} needs, beside a consumer's own in the same file. Files that are not disposable
 * begin with them, too: a change to a released version of this is a migration of theirs.
 */
export const FEED_TABLES = `
  CREATE TABLE feeds (
    consumer TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    rebuilding INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE parked (
    consumer TEXT NOT NULL,
    position INTEGER NOT NULL,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    type TEXT NOT NULL,
    error_class TEXT NOT NULL,
    parked_at TEXT NOT NULL,
    PRIMARY KEY (consumer, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX parked_by_stream ON parked (consumer, stream, position);`;

/** Who keeps progress in a file. */
export function consumersIn(database: Database): string[] {
  const sql = 'SELECT consumer FROM feeds UNION SELECT consumer FROM parked ORDER BY consumer';
  return database
    .prepare<{ readonly consumer: string }>(sql)
    .all()
    .map(({ consumer }) => consumer);
}

interface ParkedRow {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly error_class: string;
  readonly parked_at: string;
}

interface FeedRow {
  readonly position: bigint;
  readonly rebuilding: bigint;
}

/**
 * How far a consumer has got and what it passed over, in the consumer's own file, so that rows and checkpoint are
 * written in one transaction. Several processes may share the file.
 */
export class FeedProgress {
  readonly #feed: Statement<FeedRow>;
  readonly #begin: Statement<unknown>;
  readonly #advance: Statement<unknown>;
  readonly #rebuilt: Statement<unknown>;
  readonly #park: Statement<unknown>;
  readonly #parked: Statement<ParkedRow>;
  readonly #parkedOf: Statement<ParkedRow>;
  readonly #streams: Statement<{ readonly stream: string }>;
  readonly #unpark: Statement<unknown>;
  readonly #unparkStream: Statement<unknown>;

  constructor(
    readonly database: Database,
    readonly consumer: string,
  ) {
    const bigints = { bigints: true };
    const columns = 'position, stream, revision, type, error_class, parked_at';
    this.#feed = database.prepare('SELECT position, rebuilding FROM feeds WHERE consumer = ?', bigints);
    this.#begin = database.prepare(
      `INSERT INTO feeds (consumer, position, rebuilding) VALUES (?, ${BEGINNING}, 1) ON CONFLICT DO NOTHING`,
    );
    this.#advance = database.prepare(
      `INSERT INTO feeds (consumer, position, rebuilding) VALUES (?, ?, 0)
       ON CONFLICT DO UPDATE SET position = excluded.position WHERE excluded.position > position`,
    );
    this.#rebuilt = database.prepare('UPDATE feeds SET rebuilding = 0 WHERE consumer = ?');
    this.#park = database.prepare(
      `INSERT INTO parked (consumer, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.#parked = database.prepare(`SELECT ${columns} FROM parked WHERE consumer = ? ORDER BY position`, bigints);
    this.#parkedOf = database.prepare(
      `SELECT ${columns} FROM parked WHERE consumer = ? AND stream = ? ORDER BY position`,
      bigints,
    );
    this.#streams = database.prepare('SELECT DISTINCT stream FROM parked WHERE consumer = ? ORDER BY stream');
    this.#unpark = database.prepare('DELETE FROM parked WHERE consumer = ? AND position = ?');
    this.#unparkStream = database.prepare('DELETE FROM parked WHERE consumer = ? AND stream = ?');
  }

  checkpoint(): bigint {
    return this.#feed.get(this.consumer)?.position ?? BEGINNING;
  }

  /** True from {@link begin} to {@link rebuilt}: what was taken in is not yet the whole. */
  get rebuilding(): boolean {
    return this.#feed.get(this.consumer)?.rebuilding === 1n;
  }

  begin(): void {
    this.#begin.run(this.consumer);
  }

  rebuilt(): void {
    if (this.rebuilding) this.#rebuilt.run(this.consumer);
  }

  /**
   * One transaction: `work` gets those of the events that this file has not seen, and the position is recorded. The
   * checkpoint is read after the write lock is had, so that two processes never take in the same event.
   */
  take<E extends { readonly position: bigint }>(
    events: readonly E[],
    position: bigint,
    work: (unseen: readonly E[]) => void,
  ): void {
    this.database.transaction(() => {
      const checkpoint = this.checkpoint();
      const unseen = events.filter((event) => event.position > checkpoint);
      if (unseen.length > 0) work(unseen);
      if (position > checkpoint) this.#advance.run(this.consumer, position);
    });
  }

  /** Records that everything up to the position was dealt with. */
  pass(position: bigint): void {
    this.#advance.run(this.consumer, position);
  }

  /** Parks an event that this file has not seen, and passes it; `work` is done in the same transaction. */
  park(event: ParkedEvent, work: () => void = () => {}): void {
    this.take([event], event.position, () => {
      const { position, stream, revision, type, errorClass, parkedAt } = event;
      this.#park.run(this.consumer, position, stream, revision, type, errorClass, parkedAt);
      work();
    });
  }

  /**
   * One transaction: forgets what is parked of a stream, and `work` gets all of the stream that is not behind the
   * checkpoint; the rest is still to come.
   *
   * @param events all of the stream up to the position `upTo`.
   * @throws {RetryLater} another process got further than `upTo` meanwhile.
   */
  replay<E extends { readonly position: bigint }>(
    stream: string,
    events: readonly E[],
    upTo: bigint,
    work: (passed: readonly E[]) => void,
  ): void {
    this.database.transaction(() => {
      const checkpoint = this.checkpoint();
      if (checkpoint > upTo) throw new RetryLater(`${this.consumer} is further than what was read`);
      work(events.filter((event) => event.position <= checkpoint));
      this.#unparkStream.run(this.consumer, stream);
    });
  }

  /** In log order. */
  parked(stream?: string): ParkedEvent[] {
    const rows = stream === undefined ? this.#parked.all(this.consumer) : this.#parkedOf.all(this.consumer, stream);
    return rows.map(({ position, stream: parkedStream, revision, type, error_class, parked_at }) => ({
      position,
      stream: parkedStream,
      revision: Number(revision),
      type,
      errorClass: error_class,
      parkedAt: parked_at,
    }));
  }

  parkedStreams(): string[] {
    return this.#streams.all(this.consumer).map((row) => row.stream);
  }

  /** Forgets one parked event. */
  unpark(position: bigint): void {
    this.#unpark.run(this.consumer, position);
  }
}
