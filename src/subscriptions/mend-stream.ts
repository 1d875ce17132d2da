import type { EventCodec } from '../event-store/codec.js';
import type { EventStore } from '../event-store/event-store.js';
import type { FeedConsumer } from './feed-consumer.js';
import { isPassing } from './patience.js';

export interface MendingPorts {
  readonly store: Pick<EventStore, 'read' | 'head'>;
  readonly codec: Pick<EventCodec, 'decode'>;
}

/**
 * Takes a stream of which events are parked in anew, whole.
 *
 * @returns false where this version cannot take it in either: it stays parked.
 * @throws {RetryLater} or what else says that it is the wrong moment.
 */
export async function mendStream(
  consumer: FeedConsumer,
  { store, codec }: MendingPorts,
  stream: string,
): Promise<boolean> {
  const { types } = consumer;
  const upTo = await store.head();
  const stored = await store.read(stream);
  try {
    const wanted = stored.filter((event) => types === undefined || types.has(event.type));
    const events = wanted.map((event) => codec.decode(event));
    consumer.replay?.(stream, events, upTo);
    return true;
  } catch (error) {
    // That the consumer's file is away is no fault of the stream's.
    if (isPassing(error)) throw error;
    return false;
  }
}
