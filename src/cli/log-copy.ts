import { createHash } from 'node:crypto';
import {
  BEGINNING,
  type EventStore,
  MAX_APPEND_BYTES,
  MAX_APPEND_EVENTS,
  type StoredEvent,
} from '../event-store/event-store.js';
import type { LogSource } from '../event-store/sqlite/log-source.js';
import { GOVERNANCE_STREAM_PREFIXES } from '../events/governance-events.js';
import { REFUSAL_STREAM_PREFIX } from '../events/refusal-events.js';
import { RUN_STREAM_PREFIX } from '../events/run-events.js';
import { SESSION_STREAM_PREFIX, SIGN_IN_LINK_STREAM_PREFIX, SUBJECT_STREAM_PREFIX } from '../events/sign-in-events.js';
import { CannotRun } from './failures.js';

/** Progress is told each time that so many events are done. */
const TOLD_EVERY = 1_000;

const PREFIXES: readonly string[] = [
  RUN_STREAM_PREFIX,
  ...GOVERNANCE_STREAM_PREFIXES,
  REFUSAL_STREAM_PREFIX,
  SESSION_STREAM_PREFIX,
  SIGN_IN_LINK_STREAM_PREFIX,
  SUBJECT_STREAM_PREFIX,
];

/** What of a source is in another log already: a beginning of it, event by event the same. */
export interface Copied {
  readonly events: number;
  /** How many events each stream has there. */
  readonly streams: ReadonlyMap<string, number>;
  /** SHA-256 over what was read back, in its order, as hex. */
  readonly digest: string;
}

/**
 * Reads a log back and compares it with its source: every event has the same id, type, data and metadata at the same
 * revision of the same stream, streams have no gap, and the order among all events is the source's. Writes nothing.
 *
 * @throws {CannotRun} naming the first stream that differs. @throws {StoreUnavailable}
 */
export async function compareWithSource(
  source: LogSource,
  target: EventStore,
  progress: (line: string) => void,
): Promise<Copied> {
  const prefixes = [...new Set([...PREFIXES, ...source.prefixes()])];
  const streams = new Map<string, number>();
  const hash = createHash('sha256');
  const { signal } = new AbortController();
  let events = 0;
  let last = BEGINNING;
  for await (const batch of target.subscribe({ after: BEGINNING, prefixes, signal })) {
    for (const event of batch.events) {
      const original = source.at(event.stream, event.revision);
      const expected = streams.get(event.stream) ?? 0;
      if (original === undefined || event.revision !== expected || !isSame(event, original))
        throw differs(event.stream);
      if (original.position <= last) throw differs(event.stream);
      last = original.position;
      streams.set(event.stream, expected + 1);
      hash.update(
        `${JSON.stringify([event.stream, event.revision, event.id, event.type, event.data, event.metadata])}\n`,
      );
      events += 1;
      if (events % TOLD_EVERY === 0) progress(`${events} events compared`);
    }
    if (batch.caughtUp) break;
  }
  return { events, streams, digest: hash.digest('hex') };
}

function isSame(event: StoredEvent, original: StoredEvent): boolean {
  return (
    event.id === original.id &&
    event.type === original.type &&
    event.data === original.data &&
    event.metadata === original.metadata
  );
}

function differs(stream: string): CannotRun {
  return new CannotRun(
    `The stream ${stream} in the cluster is not a copy of the one here: it is another log's, or a service has already written to it.`,
  );
}

/**
 * Appends what is missing, one append after the other in the order of the source, so that whoever follows the copy reads
 * events in the order in which they happened. Each append expects the exact revision; what follows each other in one
 * stream goes together, as far as the limits let it.
 *
 * @returns how many events were appended. @throws {StoreUnavailable} going on is safe. @throws {RevisionConflict} somebody else writes there.
 */
export async function appendMissing(
  source: LogSource,
  target: EventStore,
  { streams }: Copied,
  progress: (line: string) => void,
): Promise<number> {
  let appended = 0;
  for (const group of groups(missing(source, streams))) {
    const [first] = group as [StoredEvent];
    await target.append(first.stream, first.revision === 0 ? 'no_stream' : first.revision - 1, group);
    const before = Math.floor(appended / TOLD_EVERY);
    appended += group.length;
    if (Math.floor(appended / TOLD_EVERY) > before) progress(`${appended} events copied`);
  }
  return appended;
}

function* missing(source: LogSource, there: ReadonlyMap<string, number>): Generator<StoredEvent> {
  for (const event of source.events()) if (event.revision >= (there.get(event.stream) ?? 0)) yield event;
}

function* groups(events: Iterable<StoredEvent>): Generator<StoredEvent[]> {
  let group: StoredEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
    const fits =
      group[0]?.stream === event.stream && group.length < MAX_APPEND_EVENTS && bytes + size <= MAX_APPEND_BYTES;
    if (!fits && group.length > 0) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(event);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
