import { runStream } from '../events/run-events.js';
import type { Database, Statement } from '../sqlite/database.js';
import { DUE_QUERIES } from './due-file.js';
import type { WorkerOrder } from './worker-order.js';

/** How long a run that was taken is left alone, in milliseconds: by then it is claimed, or is to be looked at again. */
const TAKEN_MS = 5_000;

/** Owners who join the line in one go, and who are passed over in it, so that no call takes long. */
const MOST_OWNERS = 1_000;

/** Runs whose time is put right in one go. */
const MOST_MENDED = 1_000;

/** Clocks of different machines may be apart by so much, in milliseconds, before a time counts as one of a later clock. */
const APART_MS = 1_000;

/** A worker chooses out of so many due runs of an owner, and of the first of so many owners in line. */
const CHOICE = 64;

/**
 * A worker prefers runs at which it is the first to look, for two workers that both took the oldest would claim the same
 * ones. For each worker that was to look before it, a run may so be kept back by this long, in milliseconds.
 */
const KEPT_BACK_MS = 10_000;

interface DueRow {
  readonly run_id: string;
  readonly due_at: number;
  readonly place: number;
  readonly places_from: number;
}

/** When this process looks at a run; times in epoch milliseconds. */
export interface Look {
  readonly dueAt: number;
  /** How many other workers look before, and since when. */
  readonly place: number;
  readonly placesFrom: number;
}

/** The run of an owner that is to be taken first. */
interface Candidate {
  readonly ownerId: string;
  readonly runId: string;
  /** How many workers were to look at it before this one; 0, too, when they had their time. */
  readonly place: number;
  /** By which it is chosen among its owner's, the lowest first. */
  readonly rank: number;
}

/**
 * The rows of due runs, and the line in which their owners take turns: whoever was served goes to its end, so that
 * somebody with thousands of runs holds up another's single one by no more than one of theirs. A line of one gets
 * everything. All calls that change something are part of a transaction of the caller.
 */
export class DueTurns {
  readonly #put: Statement<unknown>;
  readonly #putOff: Statement<unknown>;
  readonly #wait: Statement<unknown>;
  readonly #rest: Statement<unknown>;
  readonly #delete: Statement<unknown>;
  readonly #owner: Statement<{ readonly owner_id: string }>;
  readonly #expect: Statement<unknown>;
  readonly #ofOwner: Statement<DueRow>;
  readonly #nextOfOwner: Statement<{ readonly due_at: number }>;
  readonly #firstInLine: Statement<{ readonly owner_id: string }>;
  readonly #lastTurn: Statement<{ readonly turn: number }>;
  readonly #toLineUp: Statement<{ readonly owner_id: string }>;
  readonly #lineUp: Statement<unknown>;
  readonly #stepOut: Statement<unknown>;
  readonly #forget: Statement<unknown>;
  readonly #fromALaterClock: Statement<{ readonly run_id: string }>;
  readonly #mend: Statement<{ readonly owner_id: string; readonly due_at: number }>;

  /** @param order absent: all workers share these rows. */
  constructor(
    database: Database,
    private readonly order?: WorkerOrder,
  ) {
    this.#put = database.prepare(
      `INSERT INTO due (run_id, owner_id, due_at, noted_at, place, places_from) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET due_at = excluded.due_at, noted_at = excluded.noted_at,
         place = excluded.place, places_from = excluded.places_from`,
    );
    this.#putOff = database.prepare('UPDATE due SET due_at = ?, noted_at = ?, place = 0 WHERE run_id = ?');
    this.#wait = database.prepare('UPDATE due SET due_at = ? WHERE run_id = ?');
    this.#rest = database.prepare('UPDATE due SET due_at = NULL WHERE run_id = ?');
    this.#delete = database.prepare('DELETE FROM due WHERE run_id = ?');
    this.#owner = database.prepare('SELECT owner_id FROM due WHERE run_id = ?');
    this.#expect = database.prepare(
      `INSERT INTO turns (owner_id, due_at) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET due_at = excluded.due_at WHERE excluded.due_at < due_at`,
    );
    this.#ofOwner = database.prepare(DUE_QUERIES.ofOwner);
    this.#nextOfOwner = database.prepare(DUE_QUERIES.nextOfOwner);
    this.#firstInLine = database.prepare(DUE_QUERIES.firstInLine);
    this.#lastTurn = database.prepare(DUE_QUERIES.lastTurn);
    this.#toLineUp = database.prepare(DUE_QUERIES.toLineUp);
    this.#lineUp = database.prepare('UPDATE turns SET turn = ? WHERE owner_id = ?');
    this.#stepOut = database.prepare('UPDATE turns SET turn = NULL, due_at = ? WHERE owner_id = ?');
    this.#forget = database.prepare('DELETE FROM turns WHERE owner_id = ?');
    this.#fromALaterClock = database.prepare(DUE_QUERIES.fromALaterClock);
    this.#mend = database.prepare(
      'UPDATE due SET due_at = ?1 + max(due_at - noted_at, 0), noted_at = ?1, place = 0 WHERE run_id = ?2 RETURNING owner_id, due_at',
    );
  }

  /**
   * The run is due then.
   *
   * @param ownerId as its first event names them; absent: as it is known already.
   */
  expect(runId: string, { dueAt, place, placesFrom }: Look, notedAtMs: number, ownerId = this.#ownerOf(runId)): void {
    this.#put.run(runId, ownerId, dueAt, notedAtMs, place, placesFrom);
    this.#expect.run(ownerId, dueAt);
  }

  /** The run waits for a person. */
  rest(runId: string): void {
    this.#rest.run(runId);
  }

  /** The run is over, or cannot be read. */
  remove(runId: string): void {
    this.#delete.run(runId);
  }

  /** The run is left alone until then. Its owner may come to their turn in vain, and loses nothing by that. */
  putOff(runId: string, untilMs: number, nowMs: number): void {
    this.#putOff.run(untilMs, nowMs, runId);
  }

  /** Due runs in the order of turns, each owner's own by the time that they are due since; each is left alone for a while. */
  take(nowMs: number, limit: number, exclude: ReadonlySet<string>): string[] {
    this.#joinLine(nowMs);
    if (this.order !== undefined) return this.#takeInOrder(this.order, nowMs, limit, exclude);
    const taken: string[] = [];
    for (let asked = 0; taken.length < limit && asked < limit + MOST_OWNERS; asked += 1) {
      const ownerId = this.#firstInLine.get(1)?.owner_id;
      if (ownerId === undefined) break;
      const runId = this.#firstOf(ownerId, nowMs, exclude);
      if (runId !== undefined) {
        this.putOff(runId, nowMs + TAKEN_MS, nowMs);
        taken.push(runId);
      }
      this.#endTurn(ownerId, nowMs, runId !== undefined);
    }
    return taken;
  }

  /** Round by round, in each one run of an owner: those that this worker is the first to look at, then the others. */
  #takeInOrder(order: WorkerOrder, nowMs: number, limit: number, exclude: ReadonlySet<string>): string[] {
    const taken: string[] = [];
    while (taken.length < limit) {
      const round = this.#candidates(order, nowMs, exclude).slice(0, limit - taken.length);
      if (round.length === 0) break;
      for (const { ownerId, runId } of round) {
        this.putOff(runId, nowMs + TAKEN_MS, nowMs);
        this.#endTurn(ownerId, nowMs, true);
        taken.push(runId);
      }
    }
    return taken;
  }

  /** Those for which fewer others were to look first come first, and of equal ones the owner who is first in line. */
  #candidates(order: WorkerOrder, nowMs: number, exclude: ReadonlySet<string>): Candidate[] {
    const candidates: Candidate[] = [];
    for (const { owner_id } of this.#firstInLine.all(CHOICE)) {
      const candidate = this.#candidateOf(owner_id, order, nowMs, exclude);
      if (candidate === undefined) this.#endTurn(owner_id, nowMs, false);
      else candidates.push(candidate);
    }
    return candidates.sort((one, other) => one.place - other.place);
  }

  /**
   * Where others are given more time by now than when a run became due, it is looked at later: the news that somebody has
   * claimed it may be under way.
   */
  #candidateOf(
    ownerId: string,
    order: WorkerOrder,
    nowMs: number,
    exclude: ReadonlySet<string>,
  ): Candidate | undefined {
    let first: Candidate | undefined;
    for (const row of this.#ofOwner.all(ownerId, nowMs, CHOICE + exclude.size)) {
      if (exclude.has(row.run_id)) continue;
      const dueAt = row.places_from + row.place * order.slotMs();
      if (row.place > 0 && dueAt > nowMs) {
        this.#wait.run(dueAt, row.run_id);
        continue;
      }
      const place = order.placeOf(runStream(row.run_id));
      const rank = row.due_at + place * KEPT_BACK_MS;
      if (first === undefined || rank < first.rank) {
        first = { ownerId, runId: row.run_id, place: rank <= nowMs ? 0 : place, rank };
      }
      // Those that follow are due later, so that none of them is before it.
      if (place === 0) break;
    }
    return first;
  }

  /** Whether anything was written by a clock that was ahead of this one, or of which this one was set back since. */
  knowsLaterClock(nowMs: number): boolean {
    return this.#fromALaterClock.get(nowMs, nowMs + APART_MS, 1) !== undefined;
  }

  /**
   * Puts right a thousand at most of such rows: a run that was due at once is due now, and any other has its whole time
   * before it again, rather than hours.
   */
  mend(nowMs: number): void {
    for (const { run_id } of this.#fromALaterClock.all(nowMs, nowMs + APART_MS, MOST_MENDED)) {
      const mended = this.#mend.get(nowMs, run_id);
      if (mended !== undefined) this.#expect.run(mended.owner_id, mended.due_at);
    }
  }

  /** The empty owner is a stand-in for one that was never named, so that not even such a run is lost. */
  #ownerOf(runId: string): string {
    return this.#owner.get(runId)?.owner_id ?? '';
  }

  #joinLine(nowMs: number): void {
    let turn = this.#lastTurn.get()?.turn ?? 0;
    for (const { owner_id } of this.#toLineUp.all(nowMs, MOST_OWNERS)) {
      turn += 1;
      this.#lineUp.run(turn, owner_id);
    }
  }

  #firstOf(ownerId: string, nowMs: number, exclude: ReadonlySet<string>): string | undefined {
    const [first] = this.#ofOwner.all(ownerId, nowMs, 1);
    if (first === undefined || !exclude.has(first.run_id)) return first?.run_id;
    return this.#ofOwner.all(ownerId, nowMs, exclude.size + 1).find(({ run_id }) => !exclude.has(run_id))?.run_id;
  }

  /** To the end of the line; out of it, where nothing of theirs can be taken now. */
  #endTurn(ownerId: string, nowMs: number, served: boolean): void {
    const next = this.#nextOfOwner.get(ownerId)?.due_at;
    if (next === undefined) this.#forget.run(ownerId);
    else if (next <= nowMs && served) this.#lineUp.run((this.#lastTurn.get()?.turn ?? 0) + 1, ownerId);
    else this.#stepOut.run(next, ownerId);
  }
}
