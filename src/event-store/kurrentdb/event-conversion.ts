import { type JSONEventData, type JSONEventType, jsonEvent, type ResolvedEvent } from '@eventstore/db-client';
import { StoreUnavailable } from '../errors.js';
import type { NewEvent, StoredEvent } from '../event-store.js';

/** What a position or a revision never is: it stands for "none" and "the end" on the wire. */
const NO_PLACE = 2n ** 63n;

/**
 * An event for the client, which writes JSON itself. Text as `JSON.stringify` makes it, and our codec makes no other,
 * comes out of that the same; and what was parsed from text holds nothing that the client could not write.
 *
 * @throws {SyntaxError} data or metadata is no JSON.
 */
export function eventData({ id, type, data, metadata }: NewEvent): JSONEventData {
  return jsonEvent<JSONEventType>({ id, type, data: JSON.parse(data), metadata: JSON.parse(metadata) });
}

/** @throws {StoreUnavailable} the server does not tell where events of a stream stand in the log. */
export function storedEvent({ event }: ResolvedEvent): StoredEvent {
  const position = event?.position?.commit;
  if (event === undefined || position === undefined || !isPlace(position)) {
    throw new StoreUnavailable('the event store is of a version that does not tell positions', false);
  }
  return {
    id: event.id,
    type: event.type,
    data: textOf(event.data),
    metadata: textOf(event.metadata),
    stream: event.streamId,
    revision: Number(event.revision),
    position,
  };
}

/** Whether a number that a server sent can be the place of an event. */
export function isPlace(number: bigint): boolean {
  return number >= 0n && number < NO_PLACE;
}

/**
 * The text of what the client parsed. Where that failed, it hands out the text itself, or bytes; that is no object, and
 * the codec finds so.
 */
function textOf(parsed: unknown): string {
  if (typeof parsed === 'string') return parsed;
  if (parsed instanceof Uint8Array) return Buffer.from(parsed).toString('utf8');
  return JSON.stringify(parsed) ?? '';
}
