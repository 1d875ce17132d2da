import { AppendRefused, RevisionConflict } from './errors.js';
import type { ExpectedRevision, NewEvent } from './event-store.js';

/** The revision that the first event of an append gets when it is written. */
export function firstRevision(expected: ExpectedRevision): number {
  return expected === 'no_stream' ? 0 : expected + 1;
}

/**
 * Tells what an append is that finds its stream at another revision than it expects: returns when it repeats an earlier
 * append, which makes it a success that writes nothing, and throws otherwise.
 *
 * @param actual the stream's revision.
 * @param storedIds ids of the events stored from {@link firstRevision} on, at most as many as the append has.
 * @throws {RevisionConflict} somebody else's event stands where the first event would.
 * @throws {AppendRefused} the first event is stored already, but what follows is not what was stored with it.
 */
export function assertRepeat(
  stream: string,
  expected: ExpectedRevision,
  actual: ExpectedRevision,
  events: readonly NewEvent[],
  storedIds: readonly string[],
): void {
  if (storedIds[0] === undefined || storedIds[0] !== events[0]?.id) {
    throw new RevisionConflict(stream, expected, actual);
  }
  if (!events.every((event, index) => event.id === storedIds[index])) {
    throw new AppendRefused(stream, 'partial_repeat');
  }
}
