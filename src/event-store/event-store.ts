/**
 * What Holdpoint needs of an event log, and nothing more. Every adapter passes `test/contracts/event-store.contract.ts`.
 *
 * An append names the revision it was decided on: there is no "append whatever is there", because the guarded claim
 * (CLM-1) and every other decision rest on that check.
 */

/** The revision that the stream must have: that of its last event (the first event has 0), or that it has no events. */
export type ExpectedRevision = 'no_stream' | number;

/** The position before the first event of the log. */
export const BEGINNING = -1n;

/** Largest event (`data` and `metadata` together, UTF-8 bytes) that any adapter takes. */
export const MAX_EVENT_BYTES = 512 * 1024;

/** Largest append, and the most events in one. Below the smallest limit of any supported store. */
export const MAX_APPEND_BYTES = 900 * 1024;
export const MAX_APPEND_EVENTS = 100;

export interface NewEvent {
  /** UUID; made once for a decision and reused only to repeat the very same append. */
  readonly id: string;
  readonly type: string;
  /** JSON text. Serialised above the port, so that nothing unserialisable ever reaches a driver. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
}

export interface StoredEvent extends NewEvent {
  readonly stream: string;
  /** Place in the stream, from 0. */
  readonly revision: number;
  /** Place in the whole log: grows, may have gaps. */
  readonly position: bigint;
}

export interface Appended {
  /** Revision of the last event of the append. */
  readonly revision: number;
  /** Position of the last event of the append. */
  readonly position: bigint;
}

export interface FeedBatch {
  /** In log order, at most some hundreds; may be empty. */
  readonly events: readonly StoredEvent[];
  /** Everything up to here (and matching the filter) has been delivered; the `after` to resume with. */
  readonly position: bigint;
  /** True when the feed had reached the end of the log as it was when the batch was read. */
  readonly caughtUp: boolean;
}

export interface FeedOptions {
  /** Deliver events behind this position; {@link BEGINNING} for all. */
  readonly after: bigint;
  /** Only streams whose name begins with one of these. */
  readonly prefixes: readonly string[];
  /** Ends the feed: the iteration finishes without an error. */
  readonly signal: AbortSignal;
}

export abstract class EventStore {
  /**
   * Appends all events or none, durably: when this resolves, a power cut loses nothing of it.
   *
   * Repeating an append with the same ids at the same expected revision succeeds and writes nothing, also after later
   * events.
   *
   * @throws {RevisionConflict} the stream is at another revision; nothing was written.
   * @throws {AppendRefused} the events can never be appended so (too large, too many, or they repeat another append in part).
   * @throws {StoreUnavailable} the store is away; `outcomeUnknown` says whether the append may have landed all the same.
   */
  abstract append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>;

  /**
   * The events of one stream in order, from the revision `from` (default 0); none for a stream that does not exist.
   *
   * @throws {StoreUnavailable}
   */
  abstract read(stream: string, from?: number): Promise<readonly StoredEvent[]>;

  /**
   * Events of all matching streams in log order, each at least once, first those already there and then live. A feed
   * that loses its store throws {@link StoreUnavailable}; whoever consumes it resumes from its own checkpoint.
   */
  abstract subscribe(options: FeedOptions): AsyncIterable<FeedBatch>;

  /** Position of the last event of the log, {@link BEGINNING} when there is none. @throws {StoreUnavailable} */
  abstract head(): Promise<bigint>;

  /** Removes a stream. Only streams of keys are ever removed. Removing what does not exist succeeds. */
  abstract deleteStream(stream: string): Promise<void>;

  /** Settles what is under way and lets go of the store. Appends after it are {@link StoreUnavailable}. */
  abstract close(): Promise<void>;
}
