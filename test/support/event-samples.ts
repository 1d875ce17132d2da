import { randomUUID } from 'node:crypto';
import type { EventStore, FeedBatch, NewEvent, StoredEvent } from '../../src/event-store/event-store.js';

/** An event with an id of its own. */
export function anEvent(data: object = {}): NewEvent {
  return { id: randomUUID(), type: 'SomethingHappened', data: JSON.stringify(data), metadata: '{"schemaVersion":1}' };
}

export function someEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => anEvent({ index }));
}

/** An event of exactly so many bytes. */
export function anEventOf(bytes: number, character = 'x'): NewEvent {
  const empty = anEvent({ text: '' });
  const free = bytes - Buffer.byteLength(empty.data) - Buffer.byteLength(empty.metadata);
  const width = Buffer.byteLength(character);
  const text = character.repeat(Math.floor(free / width)) + 'x'.repeat(free % width);
  return { ...empty, data: JSON.stringify({ text }) };
}

/** A prefix of stream names that no other test uses, also on a log that outlives the tests. */
export function aKind(): string {
  return `t${randomUUID().replaceAll('-', '')}-`;
}

export function ids(events: readonly { readonly id: string }[]): string[] {
  return events.map((event) => event.id);
}

/** Batches of a feed until they satisfy the condition, which is asked after each batch. */
export async function batchesUntil(
  store: EventStore,
  options: { readonly after: bigint; readonly prefixes: readonly string[] },
  enough: (batches: readonly FeedBatch[]) => boolean,
): Promise<readonly FeedBatch[]> {
  const batches: FeedBatch[] = [];
  for await (const batch of store.subscribe({ ...options, signal: new AbortController().signal })) {
    batches.push(batch);
    if (enough(batches)) break;
  }
  return batches;
}

/** Everything that a feed delivers until it has caught up. */
export async function caughtUp(
  store: EventStore,
  options: { readonly after: bigint; readonly prefixes: readonly string[] },
): Promise<{ readonly events: readonly StoredEvent[]; readonly position: bigint }> {
  const batches = await batchesUntil(store, options, (seen) => seen[seen.length - 1]?.caughtUp === true);
  return {
    events: batches.flatMap((batch) => batch.events),
    position: (batches[batches.length - 1] as FeedBatch).position,
  };
}
