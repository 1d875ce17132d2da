import { binaryEvent, jsonEvent } from '@eventstore/db-client';
import { EventCodec } from '../../src/event-store/codec.js';
import type { NewEvent } from '../../src/event-store/event-store.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { aKind, anEvent } from '../support/event-samples.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { TALLY_CATALOGUE } from '../support/tally.js';
import { eventStoreContract } from './event-store.contract.js';

jest.setTimeout(30_000);

/** A busy machine is no fault of the store's. */
const PATIENT = { deadlineMs: 20_000 };

const given = process.env.ESDB_URL;
let double: EventStoreDouble | undefined;
let url = given ?? '';
beforeAll(async () => {
  if (given === undefined) {
    double = await EventStoreDouble.start();
    url = double.connectionString;
  }
  const { description } = KurrentDbConnection.open(url);
  console.info(`KurrentDB's contract: ${given === undefined ? 'a double' : 'the server of ESDB_URL'}, ${description}`);
});
afterAll(() => double?.stop());

eventStoreContract('KurrentDB', async () => {
  const opened: KurrentDbEventStore[] = [];
  return {
    async open() {
      const store = new KurrentDbEventStore({ connection: KurrentDbConnection.open(url, PATIENT) });
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close();
    },
  };
});

describe('the event log in KurrentDB', () => {
  let connection: KurrentDbConnection;
  let store: KurrentDbEventStore;
  beforeEach(() => {
    connection = KurrentDbConnection.open(url, PATIENT);
    store = new KurrentDbEventStore({ connection });
  });
  afterEach(() => store.close());

  it.each([
    ['bytes that are no JSON', binaryEvent({ type: 'Counted', data: Buffer.from('{"n":') })],
    ['a text', jsonEvent({ type: 'Counted', data: 'a text' as never })],
    ['no metadata', jsonEvent({ type: 'Counted', data: { n: 1 } })],
  ])('hands on what somebody else wrote (%s), and the codec cannot read it', async (_what, event) => {
    const stream = `${aKind()}1`;
    await connection.client.appendToStream(stream, event, { ...connection.callOptions, expectedRevision: 'no_stream' });

    const [stored] = await store.read(stream);

    expect(stored).toMatchObject({ stream, revision: 0, type: 'Counted' });
    const decode = () => new EventCodec(TALLY_CATALOGUE).decode(stored as never);
    expect(decode).toThrow(expect.objectContaining({ unreadable: 'not_json' }));
  });

  it('takes JSON with any names and numbers, and gives back the same text', async () => {
    const stream = `${aKind()}1`;
    const texts = [
      '{"__proto__":{"a":1},"constructor":1,"toString":null}',
      '{"2":"b","10":"a","z":-0.5,"n":1e+300,"m":5e-324,"s":"\\u0000\\ud800 \\"雪"}',
      '[]',
    ];
    const events = texts.map((data): NewEvent => ({ ...anEvent(), data }));
    await store.append(stream, 'no_stream', events);
    expect((await store.read(stream)).map(({ data }) => data)).toEqual(texts);
  });

  it('tells of the server for a log line', () => {
    expect(connection.description).toMatch(/^[\w.:, ]+ (over TLS|without encryption)$/);
  });
});
