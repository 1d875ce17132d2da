import type { DecodedEvent } from '../event-store/codec.js';

/** An event as consumers get it: checked, of today's version, its content sealed. */
export type FeedEvent = DecodedEvent;

/** An event that a consumer could not take in: where it is and what was wrong, nothing of what it says. */
export interface ParkedEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** Of the codec's fixed list, or the class of the error that the consumer threw. */
  readonly errorClass: string;
  /** RFC 3339 UTC. */
  readonly parkedAt: string;
}

/**
 * Something that follows the log from a checkpoint of its own.
 *
 * Batches may come twice, and two processes may follow with one checkpoint: a consumer looks its checkpoint up again
 * in the transaction that writes, and leaves out what is not behind it.
 */
export interface FeedConsumer {
  readonly name: string;
  /** Streams whose name begins with one of these. */
  readonly prefixes: readonly string[];
  /** The types of event that it takes in; the others are not even read. Absent: all. */
  readonly types?: ReadonlySet<string>;

  /** The position up to which everything was taken in, `BEGINNING` when nothing was. */
  checkpoint(): bigint;

  /**
   * Takes in events in log order, possibly none, and records `position`, in one transaction where it can.
   *
   * @throws {RetryLater} not now; tried again for as long as it takes. Anything else is held against the event.
   */
  apply(events: readonly FeedEvent[], position: bigint): void | Promise<void>;

  /** Records an event that is passed over, and its position as the checkpoint. What it means for later events of the same stream is the consumer's affair. */
  park(event: ParkedEvent): void;

  /** Said before the first event of a consumer that has no checkpoint yet. */
  begin?(): void;

  /** Said each time that the end of the log was reached. */
  reachedEnd?(): void;

  /** The streams of which events are parked and which {@link replay} can mend. */
  parkedStreams?(): readonly string[];

  /**
   * Takes in a stream anew, now that it can be read, and forgets what was parked of it.
   *
   * @param events all of the stream up to the position `upTo` of the log, and perhaps more.
   */
  replay?(stream: string, events: readonly FeedEvent[], upTo: bigint): void;
}

/** Thrown by a consumer for whom it is the wrong moment: the event is not to blame and is never parked for it. */
export class RetryLater extends Error {
  override readonly name: string = 'RetryLater';
}

const CLASS_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** What may be recorded of an error: its class, because a message can quote content. */
export function errorClassOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not_an_error';
  const name = error.constructor.name;
  return CLASS_NAME.test(name) ? name : 'Error';
}
