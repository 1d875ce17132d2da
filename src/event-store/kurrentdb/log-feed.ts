import { StoreUnavailable } from '../errors.js';
import type { FeedBatch, FeedOptions } from '../event-store.js';
import { asUnavailable } from './failures.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { headOf } from './log-reads.js';
import { LogSubscription } from './log-subscription.js';

/**
 * One feed of the port, over as many subscriptions as it takes.
 *
 * A live subscription that was silent for a while is replaced by a new one, if the log has grown meanwhile. That costs
 * little, needs no proof that the old one was dead, and moves the position on when nobody writes to these streams.
 */
export class LogFeed {
  readonly #prefixes: readonly string[];
  readonly #signal: AbortSignal;
  #position: bigint;
  #toldCaughtUp = false;

  /** @param quietMs after how long a silence a live subscription is replaced, and one that catches up given up. */
  constructor(
    private readonly connection: KurrentDbConnection,
    { after, prefixes, signal }: FeedOptions,
    private readonly quietMs: number,
  ) {
    this.#position = after;
    this.#prefixes = prefixes;
    this.#signal = signal;
  }

  /** @throws {StoreUnavailable} */
  async *batches(): AsyncGenerator<FeedBatch, void> {
    try {
      while (!this.#signal.aborted) yield* this.#oneSubscription();
    } catch (error) {
      if (!this.#signal.aborted) throw asUnavailable(error, false);
    }
  }

  async *#oneSubscription(): AsyncGenerator<FeedBatch, void> {
    const head = await headOf(this.connection);
    const subscription = new LogSubscription(this.connection, this.#position, this.#prefixes);
    try {
      yield* this.#follow(subscription, head);
    } finally {
      subscription.close();
    }
  }

  /**
   * Ends when the subscription is to be replaced or the signal fires.
   *
   * @param head where the log ended before the subscription began: once it is live, all up to there was delivered.
   */
  async *#follow(subscription: LogSubscription, head: bigint): AsyncGenerator<FeedBatch, void> {
    let lastNews = performance.now();
    while (!this.#signal.aborted) {
      const batch = await this.#next(subscription, head);
      if (batch !== undefined) {
        yield batch;
        lastNews = performance.now();
        continue;
      }
      if (subscription.isOver()) throw new StoreUnavailable('the event store ended a subscription', false);
      if (await this.#sign(subscription, lastNews)) continue;
      if (!subscription.live) throw new StoreUnavailable('the event store went silent in a subscription', false);
      if ((await headOf(this.connection)) > this.#position) return;
      lastNews = performance.now();
    }
  }

  async #sign(subscription: LogSubscription, lastNews: number): Promise<boolean> {
    const { connection, quietMs } = this;
    const { live, confirmed } = subscription;
    // Live, only events count as news; before, whatever shows that the server is at it.
    const limit = live ? lastNews + quietMs - performance.now() : confirmed ? quietMs : connection.deadlineMs;
    const sign = await subscription.sign(limit, [this.#signal, connection.closing]);
    if (!this.#signal.aborted) connection.assertOpen();
    return sign;
  }

  /** What there is to tell, if anything. */
  async #next(subscription: LogSubscription, head: bigint): Promise<FeedBatch | undefined> {
    const events = (await subscription.take()).filter((event) => event.position > this.#position);
    const looked = subscription.live ? head : subscription.lookedThrough(head);
    let position = events[events.length - 1]?.position ?? this.#position;
    if (looked > position) position = looked;
    const caughtUp = subscription.live && subscription.waiting === 0;
    if (events.length === 0 && position === this.#position && caughtUp === this.#toldCaughtUp) return undefined;
    this.#position = position;
    this.#toldCaughtUp = caughtUp;
    return { events, position, caughtUp };
  }
}
