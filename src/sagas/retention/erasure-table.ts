import { RUN_STREAM_PREFIX, type RunContentErased, type RunEvent, runIdOf } from '../../events/run-events.js';
import type { Database, Statement } from '../../sqlite/database.js';
import { type DisposableKind, openDisposable } from '../../subscriptions/disposable-database.js';
import type { FeedConsumer, FeedEvent, ParkedEvent } from '../../subscriptions/feed-consumer.js';
import { FEED_TABLES, FeedProgress } from '../../subscriptions/feed-progress.js';

export type ErasureScope = RunContentErased['data']['scope'];

export const ERASURES_FILE: DisposableKind = {
  applicationId: 0x48504552, // "HPER"
  revision: 1,
  schema: `${FEED_TABLES}
    CREATE TABLE erasures (
      run_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      settled_at INTEGER NOT NULL,
      not_before INTEGER NOT NULL,
      PRIMARY KEY (run_id, scope)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX erasures_by_time ON erasures (scope, settled_at);`,
};

/** How long a run that was taken is left alone, in milliseconds: by then it is erased, or is to be looked at again. */
const TAKEN_MS = 30_000;

const SETTLING: readonly RunEvent['type'][] = ['RunCompleted', 'RunFailed', 'RunCancelled'];
const SCOPES: readonly ErasureScope[] = ['working', 'outcome'];

/**
 * Which settled runs still have content, and since when they are settled. How long content is kept is asked when rows
 * are taken, so that a change of it counts for all of them. Made anew from the log when its file is deleted.
 */
export class ErasureTable implements FeedConsumer {
  readonly name = 'erasures';
  readonly prefixes = [RUN_STREAM_PREFIX];
  readonly types: ReadonlySet<string> = new Set<string>([...SETTLING, 'RunContentErased']);
  readonly #progress: FeedProgress;
  readonly #add: Statement<unknown>;
  readonly #remove: Statement<unknown>;
  readonly #due: Statement<{ readonly run_id: string }>;
  readonly #oldest: Statement<{ readonly settled_at: number }>;
  readonly #leaveAlone: Statement<unknown>;

  constructor(
    private readonly database: Database,
    /** Told that something was settled. */
    private readonly onSettled: () => void = () => {},
  ) {
    this.#progress = new FeedProgress(database, this.name);
    this.#add = database.prepare(
      'INSERT INTO erasures (run_id, scope, settled_at, not_before) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING',
    );
    this.#remove = database.prepare('DELETE FROM erasures WHERE run_id = ? AND scope = ?');
    this.#due = database.prepare(
      // Beyond the longest that a row is left alone it was written by a clock that was set back since.
      `SELECT run_id FROM erasures
       WHERE scope = ?1 AND settled_at <= ?2 AND (not_before <= ?3 OR not_before > ?3 + ${TAKEN_MS})
       ORDER BY settled_at LIMIT ?4`,
    );
    this.#oldest = database.prepare('SELECT settled_at FROM erasures WHERE scope = ? ORDER BY settled_at LIMIT 1');
    this.#leaveAlone = database.prepare('UPDATE erasures SET not_before = ? WHERE run_id = ? AND scope = ?');
  }

  /** @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable} */
  static open(path: string, onSettled?: () => void): ErasureTable {
    return new ErasureTable(openDisposable(path, ERASURES_FILE), onSettled);
  }

  /**
   * Runs that were settled at that time or before and still have content of the scope, the longest settled first. Each is
   * left alone for a while, so that several processes on one file share the work. None during a rebuild.
   *
   * @throws {DatabaseUnavailable} busy, too; ask again.
   */
  take(scope: ErasureScope, settledUntilMs: number, nowMs: number, limit: number): string[] {
    if (this.#progress.rebuilding || this.#due.get(scope, settledUntilMs, nowMs, 1) === undefined) return [];
    return this.database.transaction(() => {
      const due = this.#due.all(scope, settledUntilMs, nowMs, limit).map((row) => row.run_id);
      for (const runId of due) this.#leaveAlone.run(nowMs + TAKEN_MS, runId, scope);
      return due;
    });
  }

  /** When the run was settled that has had content of the scope for longest, in epoch milliseconds; null: none has. */
  oldest(scope: ErasureScope): number | null {
    return this.#oldest.get(scope)?.settled_at ?? null;
  }

  close(): void {
    this.database.close();
  }

  checkpoint(): bigint {
    return this.#progress.checkpoint();
  }

  begin(): void {
    this.#progress.begin();
  }

  reachedEnd(): void {
    if (!this.#progress.rebuilding) return;
    this.#progress.rebuilt();
    this.onSettled();
  }

  apply(events: readonly FeedEvent[], position: bigint): void {
    this.#progress.take(events, position, (unseen) => {
      for (const event of unseen) this.#note(event as FeedEvent & RunEvent);
    });
    if (events.some(({ type }) => type !== 'RunContentErased')) this.onSettled();
  }

  park(event: ParkedEvent): void {
    this.#progress.park(event);
  }

  parkedStreams(): readonly string[] {
    return this.#progress.parkedStreams();
  }

  replay(stream: string, events: readonly FeedEvent[], upTo: bigint): void {
    this.#progress.replay(stream, events, upTo, (passed) => {
      for (const event of passed) this.#note(event as FeedEvent & RunEvent);
    });
  }

  #note(event: RunEvent): void {
    const runId = runIdOf(event.stream);
    if (event.type === 'RunContentErased') this.#remove.run(runId, event.data.scope);
    else for (const scope of SCOPES) this.#add.run(runId, scope, Date.parse(event.at));
  }
}
