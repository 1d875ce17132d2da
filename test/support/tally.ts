import { randomUUID } from 'node:crypto';
import { type DecodedEvent, EventCodec } from '../../src/event-store/codec.js';
import { SystemEntropy } from '../../src/event-store/entropy.js';
import type { NewEvent } from '../../src/event-store/event-store.js';
import type { EventCatalogue } from '../../src/events/catalogue.js';
import type { Database } from '../../src/sqlite/database.js';
import { type DisposableKind, openDisposable } from '../../src/subscriptions/disposable-database.js';
import type { FeedConsumer, ParkedEvent } from '../../src/subscriptions/feed-consumer.js';
import { FEED_TABLES, FeedProgress } from '../../src/subscriptions/feed-progress.js';

/** A log of numbers, and a consumer that notes them: the smallest that has all that consumers have. */
export const TALLY_CATALOGUE: EventCatalogue = {
  Counted: {
    schemaVersion: 1,
    data: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
  },
  Ignored: { schemaVersion: 1, data: { type: 'object', properties: {}, additionalProperties: false } },
};

export const TALLY_KIND: DisposableKind = {
  applicationId: 0x48505459, // "HPTY"
  revision: 1,
  schema: `${FEED_TABLES} CREATE TABLE tally (stream TEXT, revision INTEGER, n INTEGER, PRIMARY KEY (stream, revision));`,
};

export interface TallyRow {
  readonly stream: string;
  readonly revision: number;
  readonly n: number;
}

export class Tally implements FeedConsumer {
  readonly name = 'tally';
  readonly prefixes = ['tally-'];
  readonly progress: FeedProgress;
  /** The sizes of the batches that it was asked to take in. */
  readonly batches: number[] = [];
  /** Asked before an event is taken in; throws where it fails. */
  before: (event: DecodedEvent) => void = () => {};

  constructor(readonly database: Database = openDisposable(':memory:', TALLY_KIND)) {
    this.progress = new FeedProgress(database, this.name);
  }

  checkpoint(): bigint {
    return this.progress.checkpoint();
  }

  apply(events: readonly DecodedEvent[], position: bigint): void {
    this.batches.push(events.length);
    this.progress.take(events, position, (unseen) => {
      for (const event of unseen) {
        this.before(event);
        this.insert(event);
      }
    });
  }

  park(event: ParkedEvent): void {
    this.progress.park(event);
  }

  parkedStreams(): readonly string[] {
    return this.progress.parkedStreams();
  }

  replay(stream: string, events: readonly DecodedEvent[], upTo: bigint): void {
    this.progress.replay(stream, events, upTo, (passed) => {
      this.database.prepare('DELETE FROM tally WHERE stream = ?').run(stream);
      for (const event of passed) {
        this.before(event);
        this.insert(event);
      }
    });
  }

  /** What it has noted; a second note of the same event would have failed. */
  rows(): TallyRow[] {
    return this.database.prepare<TallyRow>('SELECT * FROM tally ORDER BY stream, revision').all();
  }

  private insert({ stream, revision, data }: DecodedEvent): void {
    this.database.prepare('INSERT INTO tally VALUES (?, ?, ?)').run(stream, revision, data.n as number);
  }
}

export const tallyCodec = new EventCodec(TALLY_CATALOGUE);
export const entropy = new SystemEntropy();

const METADATA = JSON.stringify({
  $correlationId: 'c',
  schemaVersion: 1,
  actor: { kind: 'system', id: 'test' },
  at: '2030-01-01T00:00:00.000Z',
});

export function counted(n: unknown): NewEvent {
  return { id: randomUUID(), type: 'Counted', data: JSON.stringify({ n }), metadata: METADATA };
}

export function ignored(): NewEvent {
  return { id: randomUUID(), type: 'Ignored', data: '{}', metadata: METADATA };
}
