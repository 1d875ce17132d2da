import { randomUUID } from 'node:crypto';
import { BEGINNING } from '../../src/event-store/event-store.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { KurrentDbKeyStore } from '../../src/event-store/kurrentdb/kurrentdb-key-store.js';
import { type MasterKey, MasterKeyUnusable } from '../../src/event-store/master-key.js';
import { anEvent, caughtUp } from '../support/event-samples.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { aMasterKey } from '../support/key-samples.js';
import { keyStoreContract } from './key-store.contract.js';

jest.setTimeout(30_000);

/** A busy machine is no fault of the store's. */
const PATIENT = { deadlineMs: 20_000 };

const given = process.env.ESDB_URL;
let double: EventStoreDouble | undefined;
let url = given ?? '';
beforeAll(async () => {
  if (given !== undefined) return;
  double = await EventStoreDouble.start();
  url = double.connectionString;
});
afterAll(() => double?.stop());

/** Key stores that share keys, each as another process would have it, beside those of other tests in the same log. */
function keyStores(masterKey: MasterKey, now: () => number = Date.now) {
  const prefix = `t${randomUUID()}-`;
  const opened: KurrentDbConnection[] = [];
  const connect = () => {
    const connection = KurrentDbConnection.open(url, PATIENT);
    opened.push(connection);
    return connection;
  };
  return {
    prefix,
    log: () => new KurrentDbEventStore({ connection: connect() }),
    open: (key = masterKey) => KurrentDbKeyStore.open({ connection: connect(), masterKey: key, now, prefix }),
    dispose: async () => {
      for (const connection of opened.splice(0)) await connection.close();
    },
  };
}

keyStoreContract('KurrentDB', async () => {
  let time = 0;
  const stores = keyStores(aMasterKey(), () => time);
  return {
    open: () => stores.open(),
    setTime(epochMs) {
      time = epochMs;
    },
    dispose: stores.dispose,
  };
});

describe('keys in streams of KurrentDB', () => {
  let stores: ReturnType<typeof keyStores>;
  let time: number;
  beforeEach(() => {
    time = 1_000_000;
    stores = keyStores(aMasterKey(), () => time);
  });
  afterEach(() => stores.dispose());

  const neverUsed = async () => false;

  it('SEA-4 does not open with another master key than it was made with', async () => {
    const keys = await (await stores.open()).create('run-1');
    const other = stores.open(aMasterKey());
    await expect(other).rejects.toThrow(MasterKeyUnusable);
    await expect(other).rejects.toMatchObject({ fault: 'wrong' });
    expect(await (await stores.open()).find('run-1')).toEqual(keys);
  });

  it('SEA-4 lets one of several nodes that start for the first time with different master keys begin', async () => {
    const results = await Promise.allSettled([aMasterKey(), aMasterKey(), aMasterKey()].map((key) => stores.open(key)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('SEA-2 has no key in the clear in the log', async () => {
    const { working, outcome } = await (await stores.open()).create('run-1');
    const { events } = await caughtUp(stores.log(), { after: BEGINNING, prefixes: [stores.prefix] });
    const log = events.map(({ data, metadata }) => data + metadata).join();
    for (const secret of [working?.secret, outcome?.secret]) {
      expect(log).not.toContain(secret?.toString('base64'));
      expect(log).not.toContain(secret?.toString('hex'));
    }
    // Two keys, those of the service, and which master key wraps them.
    expect(events.map(({ type }) => type).sort()).toEqual([
      'MasterKeyMarked',
      'ServiceKeyKept',
      'ServiceKeyKept',
      'StreamKeyKept',
      'StreamKeyKept',
    ]);
  });

  it('SEA-2 does not open a key that was moved to another stream or scope', async () => {
    const store = await stores.open();
    await store.create('run-1');
    const log = stores.log();
    const [made] = await log.read(`${stores.prefix}workingkey-run-1`);
    for (const elsewhere of ['workingkey-run-2', 'outcomekey-run-3']) {
      const moved = { ...anEvent(), type: made?.type as string, data: made?.data as string };
      await log.append(`${stores.prefix}${elsewhere}`, 'no_stream', [moved]);
    }
    await expect(store.find('run-2')).rejects.toThrow('run-2/working is damaged');
    await expect(store.find('run-3')).rejects.toThrow('run-3/outcome is damaged');
  });

  it('leaves a sweep that was interrupted for the next one to finish', async () => {
    const store = await stores.open();
    await store.create('run-1');
    await stores.log().deleteStream(`${stores.prefix}workingkey-run-1`);

    expect(await store.sweepOrphans(2_000_000, neverUsed)).toBe(1);
    expect(await store.find('run-1')).toEqual({});
  });

  it('remembers how far it swept, for other nodes and after a restart', async () => {
    await (await stores.open()).create('run-1');
    const asked: string[] = [];
    const used = async (stream: string) => asked.push(stream) > 0;

    await (await stores.open()).sweepOrphans(2_000_000, used);
    time = 3_000_000;
    const later = await stores.open();
    await later.create('run-2');
    await later.sweepOrphans(4_000_000, used);

    expect(asked).toEqual(['run-1', 'run-2']);
  });

  it('keeps the keys of a start that meets a sweep, whichever is faster', async () => {
    const [starting, sweeping] = [await stores.open(), await stores.open()];
    for (let round = 0; round < 20; round += 1) {
      const stream = `run-${round}`;
      await starting.create(stream);
      time += 10_000;
      const [, keys] = await Promise.all([sweeping.sweepOrphans(time, neverUsed), starting.create(stream)]);
      expect(Object.keys(keys)).toEqual(['working', 'outcome']);
      expect(await sweeping.find(stream)).toEqual(keys);
    }
  });

  it('closes without closing the connection that others use', async () => {
    const connection = KurrentDbConnection.open(url, PATIENT);
    const { prefix } = stores;
    const store = await KurrentDbKeyStore.open({ connection, masterKey: aMasterKey(), prefix });
    await store.close();
    await expect(new KurrentDbEventStore({ connection }).head()).resolves.toBeDefined();
    await connection.close();
  });
});
