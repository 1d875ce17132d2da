import { RUN_STREAM_PREFIX, type RunEvent, runIdOf } from '../events/run-events.js';
import type { Database, Statement } from '../sqlite/database.js';
import { DatabaseUnavailable } from '../sqlite/errors.js';
import { openDisposable } from '../subscriptions/disposable-database.js';
import type { FeedConsumer, FeedEvent, ParkedEvent } from '../subscriptions/feed-consumer.js';
import { FeedProgress } from '../subscriptions/feed-progress.js';
import { DUE_FILE, DUE_QUERIES } from './due-file.js';
import { DueTurns, type Look } from './due-turns.js';
import type { WorkerOrder } from './worker-order.js';

/** How often times of another clock are looked for, in milliseconds. */
const MEND_MS = 10_000;

interface DueRow {
  readonly run_id: string;
  readonly due_at: number;
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

/** The only event that says whose the run is. */
function ownerNamedBy(event: FeedEvent): string | undefined {
  return event.type === 'RunStarted' ? (event.data as { readonly ownerId: string }).ownerId : undefined;
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
 * When a worker has to look at which run: the one way for a run to go on (LIF-1). Started or answered: now; requeued:
 * when its pause is over; claimed: when the lease runs out. A run that waits for a person has no row, so no lease and no
 * recovery ever covers it, however long it waits (INP-13).
 *
 * Owners take turns, see {@link DueTurns}. The table only says whom to look at, the claim decides. It is written with its
 * checkpoint and made anew from the log when its file is deleted. Several processes may share the file. An event that cannot be taken in stops its own run.
 */
export class DueTable implements FeedConsumer {
  readonly name = 'due';
  readonly prefixes = [RUN_STREAM_PREFIX];
  readonly types: ReadonlySet<string> = new Set(Object.keys(EFFECTS));
  readonly #progress: FeedProgress;
  readonly #turns: DueTurns;
  readonly #first: Statement<DueRow>;
  readonly #firstDue: Statement<DueRow>;
  readonly #dueAt: Statement<{ readonly due_at: number | null }>;
  readonly #count: Statement<{ readonly count: number }>;
  #mendedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly listeners: DueListeners = {},
    private readonly order?: WorkerOrder,
  ) {
    this.#progress = new FeedProgress(database, this.name);
    this.#turns = new DueTurns(database, order);
    this.#first = database.prepare(DUE_QUERIES.next);
    this.#firstDue = database.prepare(DUE_QUERIES.due);
    this.#dueAt = database.prepare('SELECT due_at FROM due WHERE run_id = ?');
    this.#count = database.prepare(DUE_QUERIES.count);
  }

  /**
   * @param order absent: all workers share this file.
   * @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable}
   */
  static open(path: string, listeners: DueListeners = {}, order?: WorkerOrder): DueTable {
    return new DueTable(openDisposable(path, DUE_FILE), listeners, order);
  }

  /**
   * Runs that are due, owner by owner in turns, each owner's own by the time that they are due since. Each is left alone
   * for some seconds, so that no two processes take it at once. None while the table is being rebuilt: much of the log is
   * long over.
   *
   * @param exclude runs that this process has in hand.
   * @returns none, too, while another process writes to the file.
   */
  take(nowMs: number, limit: number, exclude: ReadonlySet<string> = NOBODY): string[] {
    if (limit <= 0 || this.#progress.rebuilding) return [];
    const now = Math.floor(nowMs);
    return this.#unlessBusy([], () => {
      this.#mend(now);
      // Whoever finds nothing has no need of the write lock.
      if (this.#firstDue.all(now, exclude.size + 1).every((row) => exclude.has(row.run_id))) return [];
      return this.database.transaction(() => this.#turns.take(now, limit, exclude));
    });
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
  defer(runId: string, untilMs: number, nowMs: number): void {
    this.#unlessBusy(undefined, () =>
      this.database.transaction(() => {
        const dueAt = this.#dueAt.get(runId)?.due_at ?? null;
        if (dueAt !== null && dueAt < untilMs) this.#turns.putOff(runId, Math.ceil(untilMs), Math.ceil(nowMs));
      }),
    );
  }

  /** How many runs are due: what waits for a worker. Counted up to 100,000. */
  countDue(nowMs: number): number {
    return this.#count.get(nowMs)?.count ?? 0;
  }

  /** How long the run is due that is due for longest, in milliseconds; 0 when none is. */
  longestDueMs(nowMs: number): number {
    const [first] = this.#firstDue.all(nowMs, 1);
    return first === undefined ? 0 : nowMs - first.due_at;
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
    for (const event of events) this.order?.heed(event);
    this.#progress.take(events, position, (unseen) => {
      const stopped = new Set(this.#progress.parkedStreams());
      for (const event of unseen) if (!stopped.has(event.stream)) this.#note(event);
    });
    this.#tell(events);
  }

  park(event: ParkedEvent): void {
    this.#progress.park(event, () => this.#turns.remove(runIdOf(event.stream)));
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
    const { order } = this;
    if (order === undefined) return { dueAt, place: 0, placesFrom: dueAt };
    const place = order.placeOf(event.stream, LEASING.has(event.type) ? event.actor.id : undefined);
    const nowMs = Math.ceil(order.now());
    // What is due at once is due when one hears of it: the clock of another machine may be ahead.
    const firstDueAt = AT_ONCE.has(event.type) ? Math.min(dueAt, nowMs) : dueAt;
    // Whoever hears of it late gives the others their time all the same.
    const placesFrom = place === 0 ? firstDueAt : Math.max(firstDueAt, nowMs);
    return { dueAt: placesFrom + place * order.slotMs(), place, placesFrom };
  }

  #note(event: FeedEvent): void {
    const runId = runIdOf(event.stream);
    const look = this.#lookAfter(event);
    if (look !== null) this.#turns.expect(runId, look, Date.parse(event.at), ownerNamedBy(event));
    else if (SETTLING.has(event.type)) this.#turns.remove(runId);
    else this.#turns.rest(runId);
  }

  /** At the first look, regularly, and at once when the clock is seen to have gone back. */
  #mend(nowMs: number): void {
    if (nowMs >= this.#mendedAt && nowMs < this.#mendedAt + MEND_MS) return;
    while (this.#turns.knowsLaterClock(nowMs)) this.database.transaction(() => this.#turns.mend(nowMs));
    this.#mendedAt = nowMs;
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
}
