import type { Decision, Fold } from '../events/decider.js';
import type { AnyEventType, NewEventOf, RecordedEventOf } from '../events/event.js';
import { type Clock, timestamp } from './clock.js';
import type { EventCodec } from './codec.js';
import type { Entropy } from './entropy.js';
import { RevisionConflict, StoreUnavailable } from './errors.js';
import { BEGINNING, type EventStore, type ExpectedRevision, type NewEvent } from './event-store.js';
import type { KeyStore, StreamKeys } from './key-store.js';
import type { DecisionContext, Executed, Loaded } from './loaded.js';

/** How often a command is decided anew because somebody appended first. Every retry means that somebody else got on. */
const MAX_DECISIONS = 60;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/** How long a command waits for a store that is away before it says so, in milliseconds. */
const COMMAND_PATIENCE_MS = 5_000;

/**
 * The decider runner: loads a stream, has a decision made on it and appends the result at the revision that was read.
 * Everything that is written to the log goes through here.
 */
export class Streams {
  private writeFailedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly store: EventStore,
    readonly codec: EventCodec,
    readonly keys: KeyStore,
    readonly clock: Clock,
    readonly entropy: Entropy,
  ) {}

  /**
   * Whether the store refused the latest write and that is no longer ago than this, in milliseconds: a full disk, where
   * reading goes on. It is forgotten then, because somebody has to try for it to show that there is room again.
   */
  failedToWriteWithin(ms: number): boolean {
    return Math.abs(this.clock.now() - this.writeFailedAt) < ms;
  }

  /**
   * @throws {EventUnreadable} an event of this stream cannot be read: never decided on an older state instead.
   * @throws {StoreUnavailable}
   */
  async load<State, E extends AnyEventType>(fold: Fold<State, E>, stream: string): Promise<Loaded<State, E>> {
    return this.loadAfter(fold, {
      stream,
      state: fold.initialState,
      revision: 'no_stream',
      events: [],
    });
  }

  /** The same stream with whatever was appended since `known` was read. */
  async loadAfter<State, E extends AnyEventType>(
    fold: Fold<State, E>,
    known: Loaded<State, E>,
  ): Promise<Loaded<State, E>> {
    const stored = await this.store.read(known.stream, next(known.revision));
    if (stored.length === 0) return known;
    const events = stored.map((event) => this.codec.decode(event)) as unknown as RecordedEventOf<E>[];
    return {
      stream: known.stream,
      state: events.reduce((state, event) => fold.evolve(state, event), known.state),
      revision: stored[stored.length - 1]?.revision ?? known.revision,
      events: known.events.length === 0 ? events : [...known.events, ...events],
    };
  }

  /**
   * Loads, gathers facts, decides, appends. On a conflict all of it runs again on the fresh state, so that the answer
   * is the true one (TRN-4). A store that does not answer gets the same append with the same ids again.
   *
   * @throws {StoreUnavailable} it is unknown or untrue that anything was written; repeating the command is safe.
   */
  async execute<State, E extends AnyEventType, Facts, Reply, Rejection>(
    stream: string,
    fold: Fold<State, E>,
    context: DecisionContext | ((loaded: Loaded<State, E>) => DecisionContext),
    gather: (loaded: Loaded<State, E>) => Promise<Facts>,
    decide: (state: State, facts: Facts) => Decision<E, Reply, Rejection>,
  ): Promise<Executed<E, State, Reply, Rejection>> {
    for (let attempt = 1; ; attempt += 1) {
      const loaded = await this.load(fold, stream);
      const decision = decide(loaded.state, await gather(loaded));
      if (decision.outcome === 'rejected') {
        return { outcome: 'rejected', rejection: decision.rejection, state: loaded.state };
      }
      if (decision.outcome === 'nothing_to_do') {
        const last = loaded.events[loaded.events.length - 1];
        return {
          outcome: 'nothing_to_do',
          reply: decision.reply,
          state: loaded.state,
          revision: next(loaded.revision) - 1,
          position: last?.position ?? BEGINNING,
          events: [],
        };
      }
      try {
        const decidedIn = typeof context === 'function' ? context(loaded) : context;
        const events = await this.append(stream, loaded.revision, decision.events, decidedIn);
        const last = events[events.length - 1];
        return {
          outcome: 'accepted',
          reply: decision.reply,
          state: events.reduce((state, event) => fold.evolve(state, event), loaded.state),
          revision: last?.revision ?? -1,
          position: last?.position ?? BEGINNING,
          events,
        };
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        if (attempt >= MAX_DECISIONS) {
          throw new StoreUnavailable(`${stream} is written to too often to decide on`, false, { cause: error });
        }
        await this.clock.wait(this.entropy.fraction() * Math.min(2 ** attempt, 50));
      }
    }
  }

  /**
   * Appends events at the revision they were decided on. While the store is away the very same append (same ids) is
   * repeated until `giveUpAt` (epoch milliseconds), since it may have landed.
   *
   * @returns the events as they are stored; their `position` is that of the append's last event.
   * @throws {RevisionConflict} somebody appended first. @throws {AppendRefused} @throws {StoreUnavailable}
   */
  async append<E extends AnyEventType>(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEventOf<E>[],
    context: DecisionContext,
    giveUpAt: () => number = deadline(this.clock, COMMAND_PATIENCE_MS),
  ): Promise<readonly RecordedEventOf<E>[]> {
    const encoded = this.encode(stream, events, context, await this.keysInTime(stream, expected, events, giveUpAt));
    const appended = await this.repeatWhileAway(
      () => this.noted(() => this.store.append(stream, expected, encoded)),
      giveUpAt,
    );
    const first = next(expected);
    return encoded.map((event, index) =>
      this.codec.decode({ ...event, stream, revision: first + index, position: appended.position }),
    ) as unknown as RecordedEventOf<E>[];
  }

  /**
   * The keys, also where the store that has them is away for a moment: a segment that has done something in the world must
   * not lose its run over a look-up (INP-10).
   *
   * @throws {StoreUnavailable} also where they came when it was too late to begin the append.
   */
  private async keysInTime(
    stream: string,
    expected: ExpectedRevision,
    events: readonly object[],
    giveUpAt: () => number,
  ): Promise<StreamKeys> {
    const wasInTime = this.clock.now() < giveUpAt();
    const keys = await this.repeatWhileAway(() => this.keysFor(stream, expected, events), giveUpAt);
    if (wasInTime && this.clock.now() >= giveUpAt()) throw new StoreUnavailable('the keys came too late', false);
    return keys;
  }

  /** Keys are there before the first content that they seal; events without content need none. */
  private async keysFor(stream: string, expected: ExpectedRevision, events: readonly object[]): Promise<StreamKeys> {
    if (!events.some((event) => 'content' in event)) return {};
    return expected === 'no_stream' ? this.noted(() => this.keys.create(stream)) : this.keys.find(stream);
  }

  /** A write of one kind or another, whose failure is remembered. */
  private async noted<T>(write: () => Promise<T>): Promise<T> {
    try {
      const written = await write();
      this.writeFailedAt = Number.NEGATIVE_INFINITY;
      return written;
    } catch (error) {
      if (error instanceof StoreUnavailable) this.writeFailedAt = this.clock.now();
      throw error;
    }
  }

  private encode(
    stream: string,
    events: readonly { readonly type: string; readonly data: object; readonly content?: object }[],
    context: DecisionContext,
    keys: StreamKeys,
  ): NewEvent[] {
    const at = timestamp(this.clock.now());
    return events.map((event) => this.codec.encode(event, { stream, id: this.entropy.uuid(), at, ...context, keys }));
  }

  private async repeatWhileAway<T>(attempt: () => Promise<T>, giveUpAt: () => number): Promise<T> {
    let outcomeUnknown = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        outcomeUnknown ||= error.outcomeUnknown;
        if (this.clock.now() + pauseMs >= giveUpAt()) {
          throw new StoreUnavailable(error.message, outcomeUnknown, { cause: error });
        }
        await this.clock.wait(pauseMs * (0.5 + this.entropy.fraction() / 2));
      }
    }
  }
}

function deadline(clock: Clock, patienceMs: number): () => number {
  let at = clock.now() + patienceMs;
  return () => {
    // A clock that is set back meanwhile must not make the wait longer.
    at = Math.min(at, clock.now() + patienceMs);
    return at;
  };
}

/** The revision behind an expected one. */
export function next(revision: ExpectedRevision): number {
  return revision === 'no_stream' ? 0 : revision + 1;
}
