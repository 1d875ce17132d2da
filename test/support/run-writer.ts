import type { Clock } from '../../src/event-store/clock.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { SystemEntropy } from '../../src/event-store/entropy.js';
import type { EventStore } from '../../src/event-store/event-store.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import { Streams } from '../../src/event-store/streams.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { type NewRunEvent, type RunEvent, type RunEventType, runStream } from '../../src/events/run-events.js';
import { MemoryEventStore } from './memory-event-store.js';
import { MemoryKeyStore, MemoryKeys } from './memory-key-store.js';
import { MemoryLog } from './memory-log.js';

/** Compiling its schemas takes a while, and it has no state. */
const CODEC = new EventCodec(EVENT_CATALOGUE);

/** Writes histories of runs into a log as they would be stored: content sealed, by the real codec. */
export class RunWriter {
  readonly log = new MemoryLog();
  readonly store: EventStore = new MemoryEventStore(this.log);
  readonly keys: KeyStore;
  readonly codec = CODEC;
  readonly entropy = new SystemEntropy();
  readonly streams: Streams;

  constructor(readonly clock: Clock) {
    this.keys = new MemoryKeyStore(new MemoryKeys(), { now: () => clock.now() });
    this.streams = new Streams(this.store, this.codec, this.keys, clock, this.entropy);
  }

  /** Appends to the run, whatever its revision, as one append. */
  async write(runId: string, ...events: readonly NewRunEvent[]): Promise<readonly RunEvent[]> {
    const stream = runStream(runId);
    const length = this.log.read(stream, 0).length;
    const context = { actor: { kind: 'system', id: 'test' }, correlationId: 'c1' } as const;
    await this.streams.append<RunEventType>(stream, length === 0 ? 'no_stream' : length - 1, events, context);
    return this.log.read(stream, length).map((stored) => this.codec.decode(stored)) as unknown as RunEvent[];
  }

  /** An event that nobody can read. */
  writeUnreadable(runId: string, type = 'ModelResponded'): void {
    const stream = runStream(runId);
    const length = this.log.read(stream, 0).length;
    const event = { id: this.entropy.uuid(), type, data: '{"secret":"of nobody"}', metadata: '{}' };
    this.log.append(stream, length === 0 ? 'no_stream' : length - 1, [event]);
  }
}
