import type { Clock } from '../event-store/clock.js';
import type { EventCodec } from '../event-store/codec.js';
import type { Entropy } from '../event-store/entropy.js';
import { StoreUnavailable } from '../event-store/errors.js';
import { BEGINNING, type EventStore, type FeedBatch } from '../event-store/event-store.js';
import type { BackOff } from './back-off.js';
import { errorClassOf, type FeedConsumer, type ParkedEvent } from './feed-consumer.js';
import { FeedIntake, Halted } from './feed-intake.js';
import { mendStream } from './mend-stream.js';
import { Patience, Stopped } from './patience.js';
import { PositionWaiters, type WaitLimits } from './position-waiters.js';

export interface FeedRunnerPorts {
  readonly store: Pick<EventStore, 'subscribe' | 'read' | 'head'>;
  readonly codec: Pick<EventCodec, 'decode'>;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'fraction'>;
}

export interface FeedRunnerOptions {
  /** How often an event is tried before it is parked. Default 5. */
  readonly attempts?: number;
  /**
   * Whether an event that cannot be taken in stops the feed instead of being parked: for whoever makes rows anew to put
   * them in the place of others, and would rather keep those. Default false: one run never stops another.
   */
  readonly haltOnPoison?: boolean;
  /** Told what an operator should know. Must not throw. */
  readonly report?: (report: FeedReport) => void;
}

/** Ids, names and classes only; no error, whose message could quote content. */
export type FeedReport =
  /** The log or the consumer's own file is away, or it is the wrong moment, or an event fails; tried again. */
  | { readonly kind: 'retrying'; readonly consumer: string; readonly errorClass: string; readonly failures: number }
  | { readonly kind: 'parked'; readonly consumer: string; readonly event: ParkedEvent }
  /** An event stops the consumer altogether, until code that can take it in is started. */
  | { readonly kind: 'halted'; readonly consumer: string; readonly event: ParkedEvent }
  /** A stream of which events were parked could now be taken in whole. */
  | { readonly kind: 'replayed'; readonly consumer: string; readonly stream: string };

/** How a feed is doing, for whoever watches over the process. */
export interface FeedReading {
  readonly consumer: string;
  readonly state: 'idle' | 'following' | 'retrying' | 'halted' | 'stopped';
  readonly position: bigint;
  /** Milliseconds for which it has known of events not taken in, or has been without the log; 0 when up to date. */
  readonly behindMs: number;
  /** Class of the latest failure, null once there was progress. */
  readonly failure: string | null;
}

const FEED_BACK_OFF: BackOff = { firstMs: 50, longestMs: 5_000 };
const HALTED_BACK_OFF: BackOff = { firstMs: 5_000, longestMs: 60_000 };

/** A position that no event of the consumer's led to is recorded so often at most, in milliseconds. */
const IDLE_RECORD_MS = 1_000;

/** A consumer knows of events that the log does not have. Nothing is taken in until its file is removed. */
class AheadOfLog extends Error {
  override readonly name = 'AheadOfLog';
  constructor(consumer: string) {
    super(`${consumer} is ahead of the log: remove its file, and it is made anew`);
  }
}

/**
 * Runs one consumer over the log: from its checkpoint, through every drop of the feed, until it is stopped. An event
 * that cannot be taken in is parked after bounded tries and passed over; a store that is away is waited for.
 */
export class FeedRunner {
  readonly #report: (report: FeedReport) => void;
  readonly #waiters: PositionWaiters;
  readonly #stopping = new AbortController();
  readonly #patience: Patience;
  readonly #intake: FeedIntake;
  #running: Promise<void> | undefined;
  #state: FeedReading['state'] = 'idle';
  #position = BEGINNING;
  #recordedAt = Number.NEGATIVE_INFINITY;
  #caughtUp = false;
  #behindSince: number | null;
  #failure: string | null = null;
  #failures = 0;
  #mended = false;

  constructor(
    private readonly consumer: FeedConsumer,
    private readonly ports: FeedRunnerPorts,
    { attempts = 5, haltOnPoison = false, report = () => {} }: FeedRunnerOptions = {},
  ) {
    const { clock, codec, entropy } = ports;
    this.#report = report;
    this.#waiters = new PositionWaiters(clock);
    this.#behindSince = clock.now();
    this.#patience = new Patience(clock, entropy, this.#stopping.signal, (error, failures) =>
      this.#failed(error, failures),
    );
    this.#intake = new FeedIntake(consumer, codec, clock, this.#patience, {
      attempts,
      haltOnPoison,
      onParked: (event) => report({ kind: 'parked', consumer: consumer.name, event }),
    });
  }

  /** Starting twice is harmless; a runner that was stopped stays so. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the batch under way, if there is one, is taken in. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#state = 'stopped';
    this.#waiters.giveUp();
  }

  /** True while nothing is known to be behind the position. */
  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  /** Everything up to here is taken in. */
  get position(): bigint {
    return this.#position;
  }

  /**
   * Resolves with true once everything up to the position is taken in, at once where it is so already; with false when
   * the time is up, the signal fires or the runner stops.
   */
  waitFor(position: bigint, limits: WaitLimits = {}): Promise<boolean> {
    if (this.#position >= position) return Promise.resolve(true);
    if (this.#state === 'stopped') return Promise.resolve(false);
    return this.#waiters.wait(position, limits);
  }

  reading(): FeedReading {
    const behindMs = this.#behindSince === null ? 0 : Math.max(0, this.ports.clock.now() - this.#behindSince);
    const { name } = this.consumer;
    return { consumer: name, state: this.#state, position: this.#position, behindMs, failure: this.#failure };
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (error instanceof Stopped) break;
        this.#failures += 1;
        await this.#pauseAfter(error);
      }
    }
    await this.#recordWhereItStopped();
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const backOff = error instanceof Halted || error instanceof AheadOfLog ? HALTED_BACK_OFF : FEED_BACK_OFF;
    try {
      await this.#patience.after(error, this.#failures, backOff);
    } catch (stopped) {
      if (!(stopped instanceof Stopped)) throw stopped;
    }
  }

  /** Returns when it was told to stop. */
  async #follow(): Promise<void> {
    const checkpoint = this.consumer.checkpoint();
    if (checkpoint === BEGINNING) this.consumer.begin?.();
    // A log that lost its end, or an older one put in its place: to go on would be to skip whatever comes next.
    else if (checkpoint > (await this.ports.store.head())) throw new AheadOfLog(this.consumer.name);
    await this.#mendParkedStreams();
    this.#advance(checkpoint);
    const { signal } = this.#stopping;
    const feed = this.ports.store.subscribe({ after: this.#position, prefixes: this.consumer.prefixes, signal });
    for await (const batch of feed) {
      await this.#take(batch);
      if (signal.aborted) return;
    }
    if (!signal.aborted) throw new StoreUnavailable('the feed ended without having been told to', false);
  }

  async #take({ events, position, caughtUp }: FeedBatch): Promise<void> {
    const { types } = this.consumer;
    const wanted = events.filter(
      (event) => event.position > this.#position && (types === undefined || types.has(event.type)),
    );
    if (wanted.length > 0) {
      this.#fellBehind();
      await this.#intake.take(wanted, position);
      this.#recordedAt = this.ports.clock.now();
    } else {
      await this.#recordIdly(position);
    }
    this.#advance(position);
    if (caughtUp) await this.#patience.whileAway(() => this.consumer.reachedEnd?.());
    this.#progressed(caughtUp);
  }

  /** Much of the log is no news to a consumer of few types; writing that down each time would cost more than the news. */
  async #recordIdly(position: bigint): Promise<void> {
    const now = this.ports.clock.now();
    if (position <= this.#position || Math.abs(now - this.#recordedAt) < IDLE_RECORD_MS) return;
    await this.#patience.whileAway(() => this.consumer.apply([], position));
    this.#recordedAt = now;
  }

  /** Saves the next start some reading. Where it fails, the same events come again. */
  async #recordWhereItStopped(): Promise<void> {
    try {
      if (this.consumer.checkpoint() < this.#position) await this.consumer.apply([], this.#position);
    } catch {}
  }

  /** What an earlier version could not take in, this one perhaps can. Tried once in the life of a runner. */
  async #mendParkedStreams(): Promise<void> {
    if (this.#mended) return;
    for (const stream of this.consumer.parkedStreams?.() ?? []) await this.#mend(stream);
    this.#mended = true;
  }

  async #mend(stream: string): Promise<void> {
    if (!(await mendStream(this.consumer, this.ports, stream))) return;
    this.#report({ kind: 'replayed', consumer: this.consumer.name, stream });
  }

  #advance(position: bigint): void {
    if (position <= this.#position) return;
    this.#position = position;
    this.#waiters.reached(position);
  }

  #fellBehind(): void {
    this.#behindSince ??= this.ports.clock.now();
  }

  #progressed(caughtUp: boolean): void {
    this.#state = 'following';
    this.#failure = null;
    this.#failures = 0;
    this.#caughtUp = caughtUp;
    if (caughtUp) this.#behindSince = null;
    else this.#fellBehind();
  }

  #failed(error: unknown, failures: number): void {
    const consumer = this.consumer.name;
    this.#fellBehind();
    this.#caughtUp = false;
    if (error instanceof Halted) {
      this.#state = 'halted';
      this.#failure = error.event.errorClass;
      this.#report({ kind: 'halted', consumer, event: error.event });
      return;
    }
    this.#state = 'retrying';
    this.#failure = errorClassOf(error);
    this.#report({ kind: 'retrying', consumer, errorClass: this.#failure, failures });
  }
}
