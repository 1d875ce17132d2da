import type { RunEvent } from '../events/run-events.js';
import type { FeedEvent } from '../subscriptions/feed-consumer.js';
import { goesBefore } from './claim-order.js';
import type { WorkerOrder } from './worker-order.js';

/** A worker of which nothing was heard for so long is forgotten, in milliseconds. */
const REMEMBERED_MS = 3_600_000;

/** Beyond so many, the one that was heard of longest ago is forgotten. */
const MOST_WORKERS = 64;

/** How many runs in a row others take in a worker's turn until it is passed over, and for how long, in milliseconds. */
const MISSED_TURNS = 2;
const PASSED_OVER_MS = 60_000;

/** A turn is no shorter, however quick the news, and no longer: a run whose first worker is dead is not to wait for ever. */
const SHORTEST_SLOT_MS = 300;
const LONGEST_SLOT_MS = 5_000;

interface KnownWorker {
  seenAtMs: number;
  missedTurns: number;
  /** Until then it goes behind the others. It goes in front again as soon as it claims a run. */
  passedOverUntilMs: number;
}

/**
 * The workers that claim runs from this log, as far as the log tells, and who of them looks at a run when. Each worker
 * keeps this for itself; since all read the same log, they come to the same order.
 *
 * A worker is known from its first event on. One that misses its turns, because it is dead, full or slow, soon goes
 * behind the others; one that said that it stops does at once.
 */
export class KnownWorkers implements WorkerOrder {
  readonly #workers = new Map<string, KnownWorker>();
  #heededUpTo = -1n;

  /**
   * @param now epoch milliseconds by the clock of this process.
   * @param newsLagMs how long the news of a claim takes at present, in milliseconds, claiming included.
   */
  constructor(
    private readonly ownId: string,
    readonly now: () => number,
    private readonly newsLagMs: () => number,
  ) {
    this.#workers.set(ownId, { seenAtMs: Number.POSITIVE_INFINITY, missedTurns: 0, passedOverUntilMs: 0 });
  }

  /** Learns from an event of a run. Events come in log order; one that comes again says nothing new. */
  heed(event: FeedEvent): void {
    if (event.position <= this.#heededUpTo) return;
    this.#heededUpTo = event.position;
    const { actor } = event;
    if (actor.kind !== 'worker') return;
    // By the log's time, so that a log read anew does not bring back the dead; and no clock makes anybody immortal.
    const atMs = Math.min(Date.parse(event.at), this.now());
    const worker = this.#see(actor.id, atMs);
    const { type, data } = event as unknown as RunEvent;
    if (type === 'RunClaimed') this.#claimed(actor.id, worker, event.stream, atMs);
    if (type === 'RunRequeued' && data.reason === 'worker_stopped') worker.passedOverUntilMs = Number.POSITIVE_INFINITY;
  }

  /**
   * How long a worker whose turn it is has before it is the next one's, in whole milliseconds: longer than the news of its claim
   * takes, which on a busy machine may be long.
   */
  slotMs(): number {
    return Math.min(Math.max(SHORTEST_SLOT_MS, Math.ceil(2 * this.newsLagMs())), LONGEST_SLOT_MS);
  }

  /**
   * How many workers look at the run before this one does.
   *
   * @param holderId who has the lease of the run: where it runs out, its holder is the last to be counted on.
   */
  placeOf(stream: string, holderId?: string): number {
    return this.#before(this.ownId, stream, this.now(), holderId).length;
  }

  /** Whoever was to go first did not: with one run that is chance, with several it is dead, full or slow. */
  #claimed(workerId: string, worker: KnownWorker, stream: string, atMs: number): void {
    for (const passed of this.#before(workerId, stream, atMs)) {
      // Whoever is free counts on itself, or it would never get a turn again once the others do without it.
      if (passed === this.#workers.get(this.ownId)) continue;
      passed.missedTurns += 1;
      if (passed.missedTurns >= MISSED_TURNS) passed.passedOverUntilMs = atMs + PASSED_OVER_MS;
    }
    worker.missedTurns = 0;
    worker.passedOverUntilMs = 0;
  }

  #before(workerId: string, stream: string, nowMs: number, holderId?: string): KnownWorker[] {
    const rank = (id: string) => {
      if (id === holderId) return 2;
      return (this.#workers.get(id)?.passedOverUntilMs ?? 0) > nowMs ? 1 : 0;
    };
    const ownRank = rank(workerId);
    const before: KnownWorker[] = [];
    for (const [id, known] of this.#workers) {
      if (id === workerId || known.seenAtMs < nowMs - REMEMBERED_MS) continue;
      const otherRank = rank(id);
      if (otherRank < ownRank || (otherRank === ownRank && goesBefore(id, workerId, stream))) before.push(known);
    }
    return before;
  }

  #see(workerId: string, atMs: number): KnownWorker {
    const worker = this.#workers.get(workerId) ?? { seenAtMs: atMs, missedTurns: 0, passedOverUntilMs: 0 };
    worker.seenAtMs = Math.max(worker.seenAtMs, atMs);
    this.#workers.set(workerId, worker);
    if (this.#workers.size > MOST_WORKERS) this.#forgetOldest();
    return worker;
  }

  #forgetOldest(): void {
    let [oldest, seenAtMs] = ['', Number.POSITIVE_INFINITY];
    for (const [id, known] of this.#workers) {
      if (known.seenAtMs < seenAtMs) [oldest, seenAtMs] = [id, known.seenAtMs];
    }
    this.#workers.delete(oldest);
  }
}
