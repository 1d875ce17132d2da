import { type Clock, timestamp } from '../../event-store/clock.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore, StoredEvent } from '../../event-store/event-store.js';
import { type FeedConsumer, type FeedEvent, type ParkedEvent, RetryLater } from '../feed-consumer.js';
import { FeedProgress } from '../feed-progress.js';
import { isPassing } from '../patience.js';
import type { EventHandler } from './durable-subscriber.js';
import type { SubscribersFile } from './subscribers-file.js';

/** Why an event is parked that was not tried: one before it in its stream is. */
const BEHIND_PARKED = 'behind_parked';

export interface Subscription {
  readonly name: string;
  readonly events: readonly string[];
  /** Streams in which these events are. */
  readonly prefixes: readonly string[];
  readonly handler: EventHandler;
}

/**
 * Hands events to a subscriber, one at a time, and notes each as handled before the next. Behind a parked event its
 * stream waits, so that the order within a stream holds when it is tried again.
 */
export class SubscriberConsumer implements FeedConsumer {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly types: ReadonlySet<string>;
  readonly #progress: FeedProgress;
  /** Deliveries and retries take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly subscription: Subscription,
    file: SubscribersFile,
    /** False once another process may deliver, or this one is to stop. */
    private readonly mayDeliver: () => boolean,
    private readonly ports: {
      readonly store: Pick<EventStore, 'read'>;
      readonly codec: Pick<EventCodec, 'decode'>;
      readonly clock: Pick<Clock, 'now'>;
    },
  ) {
    this.name = subscription.name;
    this.prefixes = subscription.prefixes;
    this.types = new Set(subscription.events);
    this.#progress = new FeedProgress(file.database, subscription.name);
  }

  checkpoint(): bigint {
    return this.#progress.checkpoint();
  }

  apply(events: readonly FeedEvent[], position: bigint): Promise<void> {
    return this.#inTurn(async () => {
      for (const event of events) await this.#deliver(event);
      this.#progress.pass(position);
    });
  }

  park(event: ParkedEvent): void {
    this.#progress.park(event);
  }

  /** In log order. */
  parked(): ParkedEvent[] {
    return this.#progress.parked();
  }

  /**
   * Tries parked events again, each stream in order up to the first that fails.
   *
   * @throws {RetryLater} or what else says that it is the wrong moment; what was delivered by then stays delivered.
   */
  async retryParked(): Promise<void> {
    for (const stream of this.#progress.parkedStreams()) await this.#inTurn(() => this.#retryStream(stream));
  }

  async #deliver(event: FeedEvent): Promise<void> {
    if (event.position <= this.#progress.checkpoint()) return;
    this.#assertMayDeliver();
    if (this.#progress.parked(event.stream).length > 0) {
      const { position, stream, revision, type } = event;
      const parkedAt = timestamp(this.ports.clock.now());
      this.#progress.park({ position, stream, revision, type, errorClass: BEHIND_PARKED, parkedAt });
      return;
    }
    await this.subscription.handler.handle(event);
    this.#progress.pass(event.position);
  }

  async #retryStream(stream: string): Promise<void> {
    const parked = this.#progress.parked(stream);
    const stored = await this.ports.store.read(stream, parked[0]?.revision);
    for (const { position, revision } of parked) {
      this.#assertMayDeliver();
      const event = stored.find((candidate) => candidate.revision === revision);
      // Of a stream that was deleted meanwhile there is nothing left to deliver.
      if (event !== undefined && !(await this.#canHandle(event))) return;
      this.#progress.unpark(position);
    }
  }

  async #canHandle(event: StoredEvent): Promise<boolean> {
    try {
      await this.subscription.handler.handle(this.ports.codec.decode(event));
      return true;
    } catch (error) {
      if (isPassing(error)) throw error;
      return false;
    }
  }

  #assertMayDeliver(): void {
    if (!this.mayDeliver()) throw new RetryLater('it is for another process to deliver');
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }
}
