import { RUN_STREAM_PREFIX, type RunEvent, runIdOf, runStream } from '../events/run-events.js';
import type { Database, Statement } from '../sqlite/database.js';
import { DatabaseUnavailable } from '../sqlite/errors.js';
import { type DisposableKind, openDisposable } from '../subscriptions/disposable-database.js';
import type { FeedConsumer, FeedEvent, ParkedEvent } from '../subscriptions/feed-consumer.js';
import { FEED_TABLES, FeedProgress } from '../subscriptions/feed-progress.js';

/**
 * The file: the table and how far it has got. A row says when this process looks at a run: `turn` turns of workers behind
 * `turns_from`, for as long as nobody has looked; 0 turns where nobody goes first.
 */
export const DUE_FILE: DisposableKind = {
  applicationId: 0x48504455, // "HPDU"
  revision: 2,
  schema: `${FEED_TABLES}
    CREATE TABLE due (
      run_id TEXT PRIMARY KEY,
      due_at INTEGER NOT NULL,
      turn INTEGER NOT NULL,
      turns_from INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX due_by_time ON due (due_at, turn, turns_from);`,
};

/** Each is answered from the front of an index. */
export const DUE_QUERIES = {
  next: 'SELECT run_id, due_at FROM due ORDER BY due_at LIMIT ?',
  due: 'SELECT run_id, due_at, turn, turns_from FROM due WHERE due_at <= ? ORDER BY due_at LIMIT ?',
  count: 'SELECT count(*) AS count FROM due WHERE due_at <= ?',
} as const;

/**
 * Of so many due runs a worker that takes turns with others chooses those that are its own first. So a run that the
 * others were to take waits for no more than these.
 */
const CHOICE = 64;

/** How long a run that was taken is left alone, in milliseconds: by then it is claimed, or is to be looked at again. */
const TAKEN_MS = 5_000;

interface DueRow {
  readonly run_id: string;
  readonly due_at: number;
  readonly turn: number;
  readonly turns_from: number;
}

/** When this process looks at a run, as a row says it. */
interface Look {
  readonly dueAt: number;
  readonly turn: number;
  readonly turnsFrom: number;
}

const NOBODY: ReadonlySet<string> = new Set();

type Effects = {
  readonly [Type in RunEvent['type']]?: (event: Extract<RunEvent, { readonly type: Type }>) => string | null;
};

const atOnce = (event: RunEvent) => event.at;
const whenTheLeaseEnds = (event: Extract<RunEvent, { readonly type: 'RunClaimed' | 'LeaseExtended' }>) =>
  event.data.leaseExpiresAt;
const never = () => null;

/** When a run has to be looked at after an event; null: no more. Other events change nothing. */
const EFFECTS: Effects = {
  RunStarted: atOnce,
  InputSubmitted: atOnce,
  ApprovalDecided: atOnce,
  CallResolved: atOnce,
  RunRequeued: (event) => event.data.notBefore,
  RunClaimed: whenTheLeaseEnds,
  LeaseExtended: whenTheLeaseEnds,
  RunSuspendedForInput: never,
  RunSuspendedForApproval: never,
  RunSuspendedForResolution: never,
  RunReleased: never,
  RunCompleted: never,
  RunFailed: never,
  RunCancelled: never,
};

const AT_ONCE: ReadonlySet<string> = new Set(
  Object.entries(EFFECTS).flatMap(([type, effect]) => (effect === atOnce ? [type] : [])),
);
const LEASING: ReadonlySet<string> = new Set<RunEvent['type']>(['RunClaimed', 'LeaseExtended']);
const SETTLING: ReadonlySet<string> = new Set<RunEvent['type']>(['RunCompleted', 'RunFailed', 'RunCancelled']);

/** Epoch milliseconds. The table is only given events of {@link EFFECTS}. */
function dueAfter(event: FeedEvent): number | null {
  const effect = EFFECTS[event.type as RunEvent['type']] as ((event: FeedEvent) => string | null) | undefined;
  const time = effect?.(event) ?? null;
  return time === null ? null : Date.parse(time);
}

/** Told of everything that this process's feed brings, also where another process wrote it down first. */
export interface DueListeners {
  /** The earliest time that became some run's, in epoch milliseconds. */
  readonly onDue?: (dueAtMs: number) => void;
  /** A run was settled: whoever still works on it works for nothing (LIF-6). */
  readonly onLost?: (runId: string) => void;
  /** A run was claimed, perhaps by another worker than the one that works on it (CLM-2). */
  readonly onClaimed?: (runId: string, revision: number) => void;
}

/**
 * Where processes do not share the table's file, each sees by itself that a run is due. They take turns: otherwise all
 * would claim at the same moment, and all but one in vain.
 */
export interface Turns {
  /** Told of every event, in log order, before it is asked about the event's run. Events may come again. */
  heed(event: FeedEvent): void;
  /** How many others look at the run before this process does. `holderId`: who has the run's lease. */
  turnOf(stream: string, holderId?: string): number;
  /** How long each of them is given at present, in milliseconds. */
  slotMs(): number;
  /** Epoch milliseconds by this process's clock. */
  now(): number;
}

/**
 * When a worker has to look at which run: the one way for a run to go on (LIF-1). Started or answered: now; requeued:
 * when its pause is over; claimed: when the lease runs out. A run that waits for a person has no row, so no lease and no
 * recovery ever covers it, however long it waits (INP-13).
 *
 * The table only says whom to look at, the claim decides. It is written with its checkpoint and made anew from the log
 * when its file is deleted. Several processes may share the file. An event that cannot be taken in stops its own run.
 */
export class DueTable implements FeedConsumer {
  readonly name = 'due';
  readonly prefixes = [RUN_STREAM_PREFIX];
  readonly types: ReadonlySet<string> = new Set(Object.keys(EFFECTS));
  readonly #progress: FeedProgress;
  readonly #put: Statement<unknown>;
  readonly #delete: Statement<unknown>;
  readonly #first: Statement<Pick<DueRow, 'run_id' | 'due_at'>>;
  readonly #firstDue: Statement<DueRow>;
  readonly #leaveAlone: Statement<unknown>;
  readonly #defer: Statement<unknown>;
  readonly #count: Statement<{ readonly count: number }>;

  constructor(
    private readonly database: Database,
    private readonly listeners: DueListeners = {},
    private readonly turns?: Turns,
  ) {
    this.#progress = new FeedProgress(database, this.name);
    this.#put = database.prepare('INSERT OR REPLACE INTO due (run_id, due_at, turn, turns_from) VALUES (?, ?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM due WHERE run_id = ?');
    this.#first = database.prepare(DUE_QUERIES.next);
    this.#firstDue = database.prepare(DUE_QUERIES.due);
    this.#leaveAlone = database.prepare('UPDATE due SET due_at = ?, turn = 0 WHERE run_id = ? AND due_at = ?');
    this.#defer = database.prepare('UPDATE due SET due_at = ?1 WHERE run_id = ?2 AND due_at < ?1');
    this.#count = database.prepare(DUE_QUERIES.count);
  }

  /** @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable} */
  static open(path: string, listeners: DueListeners = {}, turns?: Turns): DueTable {
    return new DueTable(openDisposable(path, DUE_FILE), listeners, turns);
  }

  /**
   * Runs that are due, the longest due first. Each is left alone for some seconds, so that no two processes take it at
   * once. None while the table is being rebuilt: much of the log is long over.
   *
   * @param exclude runs that this process has in hand.
   * @returns none, too, while another process writes to the file.
   */
  take(nowMs: number, limit: number, exclude: ReadonlySet<string> = NOBODY): string[] {
    if (limit <= 0 || this.#progress.rebuilding) return [];
    // Whoever finds nothing has no need of the write lock.
    if (this.#due(nowMs, 1, exclude).length === 0) return [];
    return this.#unlessBusy([], () =>
      this.database.transaction(() => {
        const { turns } = this;
        const due =
          turns === undefined
            ? this.#due(nowMs, limit, exclude)
            : this.#inTurn(turns, nowMs, this.#due(nowMs, Math.max(limit, CHOICE), exclude)).slice(0, limit);
        for (const { run_id, due_at } of due) this.#leaveAlone.run(Math.ceil(nowMs) + TAKEN_MS, run_id, due_at);
        return due.map((row) => row.run_id);
      }),
    );
  }

  /** When the next run is or was due, in epoch milliseconds; null when none is. */
  nextDueAt(exclude: ReadonlySet<string> = NOBODY): number | null {
    if (this.#progress.rebuilding) return null;
    return this.#first.all(exclude.size + 1).find((row) => !exclude.has(row.run_id))?.due_at ?? null;
  }

  /**
   * Leaves a run alone until then, unless it is later than that already or in no need of a worker. While another process
   * writes nothing is deferred, and the run is looked at when it was due before.
   */
  defer(runId: string, untilMs: number): void {
    this.#unlessBusy(0, () => this.#defer.run(Math.ceil(untilMs), runId));
  }

  /** How many runs are due: what waits for a worker. */
  countDue(nowMs: number): number {
    return this.#count.get(nowMs)?.count ?? 0;
  }

  /** What stopped runs, in log order. */
  parked(): ParkedEvent[] {
    return this.#progress.parked();
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
    const next = this.nextDueAt();
    if (next !== null) this.listeners.onDue?.(next);
  }

  apply(events: readonly FeedEvent[], position: bigint): void {
    for (const event of events) this.turns?.heed(event);
    this.#progress.take(events, position, (unseen) => {
      const stopped = new Set(this.#progress.parkedStreams());
      for (const event of unseen) if (!stopped.has(event.stream)) this.#note(event);
    });
    this.#tell(events);
  }

  park(event: ParkedEvent): void {
    this.#progress.park(event, () => this.#delete.run(runIdOf(event.stream)));
  }

  parkedStreams(): readonly string[] {
    return this.#progress.parkedStreams();
  }

  replay(stream: string, events: readonly FeedEvent[], upTo: bigint): void {
    this.#progress.replay(stream, events, upTo, (passed) => {
      for (const event of passed) this.#note(event);
    });
  }

  /** When this process has to look at a run after an event; null: no more. */
  #lookAfter(event: FeedEvent): Look | null {
    const dueAt = dueAfter(event);
    if (dueAt === null) return null;
    const { turns } = this;
    if (turns === undefined) return { dueAt, turn: 0, turnsFrom: dueAt };
    const turn = turns.turnOf(event.stream, LEASING.has(event.type) ? event.actor.id : undefined);
    const nowMs = Math.ceil(turns.now());
    // What is due at once is due when one hears of it: the clock of another machine may be ahead.
    const firstDueAt = AT_ONCE.has(event.type) ? Math.min(dueAt, nowMs) : dueAt;
    // Whoever hears of it late gives the others their time all the same.
    const turnsFrom = turn === 0 ? firstDueAt : Math.max(firstDueAt, nowMs);
    return { dueAt: turnsFrom + turn * turns.slotMs(), turn, turnsFrom };
  }

  #note(event: FeedEvent): void {
    const look = this.#lookAfter(event);
    if (look === null) this.#delete.run(runIdOf(event.stream));
    else this.#put.run(runIdOf(event.stream), look.dueAt, look.turn, look.turnsFrom);
  }

  #tell(events: readonly FeedEvent[]): void {
    for (const event of events) {
      if (SETTLING.has(event.type)) this.listeners.onLost?.(runIdOf(event.stream));
      if (event.type === 'RunClaimed') this.listeners.onClaimed?.(runIdOf(event.stream), event.revision);
    }
    const times = events.flatMap((event) => this.#lookAfter(event)?.dueAt ?? []);
    if (times.length > 0 && !this.#progress.rebuilding) this.listeners.onDue?.(Math.min(...times));
  }

  #unlessBusy<T>(otherwise: T, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.reason === 'busy') return otherwise;
      throw error;
    }
  }

  /** The longest due first. */
  #due(nowMs: number, limit: number, exclude: ReadonlySet<string>): DueRow[] {
    const rows = this.#firstDue.all(nowMs, limit + exclude.size);
    return rows.filter((row) => !exclude.has(row.run_id)).slice(0, limit);
  }

  /**
   * Of due runs those whose turn has really come, this process's own first. Where turns take longer by now than when a run
   * became due, it is looked at later: the news that somebody has claimed it may be under way.
   */
  #inTurn(turns: Turns, nowMs: number, rows: readonly DueRow[]): DueRow[] {
    const slotMs = turns.slotMs();
    const chosen: { readonly row: DueRow; readonly turn: number }[] = [];
    for (const row of rows) {
      const dueAt = row.turns_from + row.turn * slotMs;
      if (row.turn > 0 && dueAt > nowMs) this.#defer.run(dueAt, row.run_id);
      else chosen.push({ row, turn: turns.turnOf(runStream(row.run_id)) });
    }
    return chosen.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
  }
}
