import { randomUUID } from 'node:crypto';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { KurrentDbKeyStore } from '../../src/event-store/kurrentdb/kurrentdb-key-store.js';
import { changeMasterKey } from '../../src/event-store/kurrentdb/master-key-change.js';
import type { MasterKey } from '../../src/event-store/master-key.js';
import { MasterKeys } from '../../src/event-store/master-keys.js';
import { anEvent } from '../support/event-samples.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { aMasterKey } from '../support/key-samples.js';

jest.setTimeout(60_000);

const given = process.env.ESDB_URL;

/** Changing the master key of keys that are in streams of KurrentDB. */
describe('changing the master key on KurrentDB', () => {
  let double: EventStoreDouble | undefined;
  let connection: KurrentDbConnection;
  let prefix: string;

  beforeAll(async () => {
    if (given === undefined) double = await EventStoreDouble.start();
  });
  beforeEach(() => {
    prefix = `t${randomUUID()}-`;
    connection = KurrentDbConnection.open(given ?? double?.connectionString ?? '', { deadlineMs: 20_000 });
  });
  afterEach(() => connection.close());
  afterAll(() => double?.stop());

  const open = (masterKey: MasterKey | MasterKeys) => KurrentDbKeyStore.open({ connection, masterKey, prefix });
  const change = (inUse: MasterKey, next: MasterKey, onProgress?: () => void) =>
    changeMasterKey({ connection, inUse, next, prefix, ...(onProgress && { onProgress }) });

  it('SEA-2 keeps all keys and those of the service, whoever makes some meanwhile, and shows nothing that the old key wrapped', async () => {
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const running = await open(new MasterKeys(() => [inUse, next]));
    const names = Array.from({ length: 60 }, (_, index) => `run-${index}`);
    const made = await Promise.all(names.map((name) => running.create(name)));
    await running.destroy('run-7', 'working');
    const service = running.serviceKey('run-ids');
    const young: Promise<unknown>[] = [];

    const { rewrapped, damaged } = await change(inUse, next, () =>
      young.push(running.create(`run-young-${young.length}`)),
    );

    expect(damaged).toEqual([]);
    expect(rewrapped).toBeGreaterThanOrEqual(119);
    await Promise.all(young);
    const restarted = await open(next);
    for (const [index, name] of names.entries()) {
      const { working, ...outcome } = made[index] ?? {};
      expect(await restarted.find(name)).toEqual(index === 7 ? outcome : { working, ...outcome });
    }
    expect(Object.keys(await restarted.find('run-young-0'))).toEqual(['working', 'outcome']);
    expect(restarted.serviceKey('run-ids')).toEqual(service);
    await expect(open(inUse)).rejects.toMatchObject({ fault: 'wrong' });
    const log = new KurrentDbEventStore({ connection });
    // What the old key wrapped can be read no more.
    expect(await log.read(`${prefix}workingkey-run-1`)).toHaveLength(1);
  });

  it('a process that was only given the old key makes no keys that only it could open', async () => {
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const old = await open(inUse);
    const before = await old.create('run-1');
    await change(inUse, next);
    await expect(old.create('run-2')).rejects.toThrow('the master key was changed; this process has the old one');
    await expect(old.find('run-1')).rejects.toThrow('damaged');
    const restarted = await open(next);
    expect(await restarted.find('run-1')).toEqual(before);
    expect(await restarted.find('run-2')).toEqual({});
    expect(Object.keys(await restarted.create('run-2'))).toEqual(['working', 'outcome']);
  });

  it('a key that was made between the first mark and the end is wrapped anew by whoever made it, or by the change', async () => {
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const known = [inUse];
    const late = await open(new MasterKeys(() => [...known]));
    await change(inUse, next);
    // It wraps with the old one still, and finds out behind its append.
    known.push(next);
    const keys = await late.create('run-1');
    expect(await (await open(next)).find('run-1')).toEqual(keys);
  });

  it('goes on where it was stopped, and to no other key than it began with', async () => {
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const store = await open(inUse);
    const names = Array.from({ length: 40 }, (_, index) => `run-${index}`);
    const made = await Promise.all(names.map((name) => store.create(name)));
    const stop = () => {
      throw new Error('stopped');
    };
    await expect(change(inUse, next, stop)).rejects.toThrow('stopped');
    await expect(change(inUse, aMasterKey())).rejects.toMatchObject({ fault: 'wrong' });
    const both = await open(new MasterKeys(() => [inUse, next]));
    expect(await both.find('run-3')).toEqual(made[3]);
    await change(inUse, next);
    expect(await change(inUse, next)).toEqual({ rewrapped: 0, damaged: [] });
    const restarted = await open(next);
    for (const [index, name] of names.entries()) expect(await restarted.find(name)).toEqual(made[index]);
  });

  it('a damaged key is left as it is, and the others are changed', async () => {
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const store = await open(inUse);
    const sound = await store.create('run-1');
    await store.create('run-2');
    const log = new KurrentDbEventStore({ connection });
    const [kept] = await log.read(`${prefix}outcomekey-run-1`);
    const moved = { ...anEvent(), type: kept?.type ?? '', data: kept?.data ?? '' };
    await log.append(`${prefix}outcomekey-run-2`, 0, [moved]);
    expect(await change(inUse, next)).toEqual({ rewrapped: 3, damaged: [`${prefix}outcomekey-run-2`] });
    expect(await (await open(next)).find('run-1')).toEqual(sound);
  });
});
