import { AppendRefused } from './errors.js';
import type { ExpectedRevision, NewEvent } from './event-store.js';
import { MAX_APPEND_BYTES, MAX_APPEND_EVENTS, MAX_EVENT_BYTES } from './event-store.js';

/**
 * Checks an append before it is sent or queued; every adapter calls it first, so that all have the same limits.
 *
 * @returns the size of the append in bytes.
 * @throws {AppendRefused} there are no events, too many, or they are too large.
 * @throws {RangeError} the expected revision can be no stream's revision.
 */
export function checkAppend(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): number {
  if (expected !== 'no_stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new RangeError(`${expected} is not a revision`);
  }
  if (events.length === 0) throw new AppendRefused(stream, 'no_events');
  if (events.length > MAX_APPEND_EVENTS) throw new AppendRefused(stream, 'too_many_events');
  let total = 0;
  for (const event of events) {
    const bytes = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
    if (bytes > MAX_EVENT_BYTES) throw new AppendRefused(stream, 'event_too_large');
    total += bytes;
  }
  if (total > MAX_APPEND_BYTES) throw new AppendRefused(stream, 'append_too_large');
  return total;
}
