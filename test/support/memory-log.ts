import { assertRepeat, firstRevision } from '../../src/event-store/append-guard.js';
import type {
  Appended,
  ExpectedRevision,
  FeedBatch,
  NewEvent,
  StoredEvent,
} from '../../src/event-store/event-store.js';
import { BEGINNING } from '../../src/event-store/event-store.js';

const MAX_BATCH_EVENTS = 500;

/** A log without an owner: what stays when every process that used it is gone. All of it is synchronous. */
export class MemoryLog {
  #events: StoredEvent[] = [];
  readonly #streams = new Map<string, StoredEvent[]>();
  readonly #waiting = new Set<() => void>();
  #last = BEGINNING;

  /** @param gap how many positions are left out before the next event; consumers may not count on there being none. */
  constructor(private readonly gap: () => number = () => this.#events.length % 3) {}

  get head(): bigint {
    return this.#last;
  }

  /** Every event, in order of position. */
  get events(): readonly StoredEvent[] {
    return this.#events;
  }

  /** @throws {RevisionConflict} @throws {AppendRefused} */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Appended {
    const stored = this.#streams.get(stream) ?? [];
    const actual = stored[stored.length - 1]?.revision ?? 'no_stream';
    const first = firstRevision(expected);
    if (actual !== expected) {
      const there = stored.slice(first, first + events.length);
      const ids = there.map((event) => event.id);
      assertRepeat(stream, expected, actual, events, ids);
      const { revision, position } = there[there.length - 1] as StoredEvent;
      return { revision, position };
    }
    events.forEach(({ id, type, data, metadata }, index) => {
      this.#last += BigInt(1 + this.gap());
      const event = { stream, revision: first + index, position: this.#last, id, type, data, metadata };
      stored.push(event);
      this.#events.push(event);
    });
    this.#streams.set(stream, stored);
    this.wake();
    return { revision: first + events.length - 1, position: this.#last };
  }

  read(stream: string, from: number): readonly StoredEvent[] {
    return (this.#streams.get(stream) ?? []).slice(from);
  }

  batchBehind(after: bigint, prefixes: readonly string[]): FeedBatch {
    const matches = (event: StoredEvent) => prefixes.some((prefix) => event.stream.startsWith(prefix));
    const behind = this.#events.slice(this.#indexBehind(after)).filter(matches);
    if (behind.length <= MAX_BATCH_EVENTS) {
      return { events: behind, position: this.#last > after ? this.#last : after, caughtUp: true };
    }
    const events = behind.slice(0, MAX_BATCH_EVENTS);
    return { events, position: (events[events.length - 1] as StoredEvent).position, caughtUp: false };
  }

  delete(stream: string): void {
    this.#streams.delete(stream);
    this.#events = this.#events.filter((event) => event.stream !== stream);
  }

  /** Resolves once there is something behind the position, at the next {@link wake}, or when the signal fires. */
  grown(after: bigint, signal: AbortSignal): Promise<void> {
    if (this.#last > after || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #indexBehind(after: bigint): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as StoredEvent).position <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
