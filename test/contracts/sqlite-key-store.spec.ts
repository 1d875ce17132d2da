import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import { MasterKey, MasterKeyUnusable } from '../../src/event-store/master-key.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { compilePrograms, exitOf, nextMessage, startProgram } from '../support/compiled-processes.js';
import { aMasterKey } from '../support/key-samples.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { keyStoreContract } from './key-store.contract.js';

// Starting processes takes seconds on a busy machine.
jest.setTimeout(30_000);

keyStoreContract('SQLite', async () => {
  const folder = scratchFolder();
  const masterKey = aMasterKey();
  const opened: KeyStore[] = [];
  let time = 0;
  return {
    async open() {
      const store = SqliteKeyStore.open({ path: join(folder.path, 'keys.db'), masterKey, now: () => time });
      opened.push(store);
      return store;
    },
    setTime(epochMs) {
      time = epochMs;
    },
    async dispose() {
      for (const store of opened) await store.close();
      folder.remove();
    },
  };
});

describe('keys in an SQLite file', () => {
  const folder = scratchFolder();
  const masterKey = aMasterKey();
  const opened: SqliteKeyStore[] = [];
  let file = 0;
  let path: string;
  const open = (key = masterKey) => {
    const store = SqliteKeyStore.open({ path, masterKey: key });
    opened.push(store);
    return store;
  };

  beforeEach(() => {
    file += 1;
    path = join(folder.path, `${file}.db`);
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => folder.remove());

  /** All bytes of the store's files, whether SQLite still counts them as content or not. */
  const bytesOnDisk = () =>
    Buffer.concat([path, `${path}-wal`].filter((name) => existsSync(name)).map((name) => readFileSync(name)));

  const wrappedKeys = () => {
    const database = openDatabase(path, { readOnly: true });
    const rows = database
      .prepare<{ stream: string; working: Uint8Array; outcome: Uint8Array }>(
        'SELECT stream, working, outcome FROM stream_keys',
      )
      .all();
    database.close();
    return rows.map((row) => ({ ...row, working: Buffer.from(row.working), outcome: Buffer.from(row.outcome) }));
  };

  it('SEA-4 does not open with another master key than it was made with', async () => {
    const keys = await open().create('run-1');

    const openWrongly = () => open(aMasterKey());

    expect(openWrongly).toThrow(MasterKeyUnusable);
    expect(openWrongly).toThrow(expect.objectContaining({ fault: 'wrong' }));
    expect(await open().find('run-1')).toEqual(keys);
  });

  it('SEA-2 has no key in the clear on the disk', async () => {
    const store = open();
    const made = await Promise.all(Array.from({ length: 50 }, (_, index) => store.create(`run-${index}`)));

    const disk = bytesOnDisk();

    expect(wrappedKeys()).toHaveLength(50);
    for (const { working, outcome } of made) {
      expect(disk.includes(working?.secret as Buffer)).toBe(false);
      expect(disk.includes(outcome?.secret as Buffer)).toBe(false);
    }
  });

  it('SEA-2 leaves no trace of a destroyed key on the disk, nor of a swept one', async () => {
    const store = open();
    const names = Array.from({ length: 1500 }, (_, index) => `run-${(index * 7919) % 1500}-${'x'.repeat(index % 40)}`);
    for (const part of [names.slice(0, 500), names.slice(500)]) {
      await Promise.all(part.map((name) => store.create(name)));
    }
    const before = wrappedKeys();
    const orphans = new Set(names.filter((_, index) => index % 5 === 0));
    const erased = names.filter((name, index) => !orphans.has(name) && index % 2 === 0);

    await store.sweepOrphans(Date.now() + 1_000, async (stream) => !orphans.has(stream));
    await Promise.all(erased.map((name) => store.destroy(name, 'working')));

    const disk = bytesOnDisk();
    const gone = new Set(erased);
    const kept: string[] = [];
    for (const { stream, working, outcome } of before) {
      // Half of a wrapped key would be found too.
      for (const half of [working.subarray(0, 30), working.subarray(30)]) {
        if (gone.has(stream) || orphans.has(stream)) expect(disk.includes(half)).toBe(false);
      }
      if (orphans.has(stream)) expect(disk.includes(outcome.subarray(0, 30))).toBe(false);
      else kept.push(stream);
      if (!orphans.has(stream)) expect(disk.includes(outcome)).toBe(true);
    }
    expect(kept).toHaveLength(1200);
  });

  it('SEA-2 has emptied the write-ahead log when a sweep is done', async () => {
    const store = open();
    await store.create('run-1');
    const [before] = wrappedKeys();
    expect(bytesOnDisk().includes(before?.working as Buffer)).toBe(true);

    await store.sweepOrphans(Date.now() + 1_000, async () => false);

    expect(bytesOnDisk().includes(before?.working as Buffer)).toBe(false);
    expect(bytesOnDisk().includes(before?.outcome as Buffer)).toBe(false);
  });

  it('SEA-2 says that a destruction is not done while another process keeps the old pages', async () => {
    const store = open();
    await store.create('run-1');
    const [before] = wrappedKeys();
    const other = openDatabase(path, { readOnly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM stream_keys').get();

    await expect(store.destroy('run-1', 'working')).rejects.toMatchObject({
      name: 'StoreUnavailable',
      outcomeUnknown: true,
    });
    expect(await store.find('run-1')).not.toHaveProperty('working');
    other.exec('COMMIT');
    other.close();
    await store.destroy('run-1', 'working');

    expect(bytesOnDisk().includes(before?.working as Buffer)).toBe(false);
  });

  it('SEA-2 finishes the destructions that are under way before it closes', async () => {
    const store = open();
    await store.create('run-1');
    const destroyed = store.destroy('run-1', 'outcome');
    await store.close();
    await destroyed;
    expect(Object.keys(await open().find('run-1'))).toEqual(['working']);
  });

  it('SEA-2 does not open a key that was moved to another stream or scope', async () => {
    const store = open();
    await store.create('run-1');
    await store.create('run-2');
    await store.close();
    const database = openDatabase(path);
    database.exec(`UPDATE stream_keys SET working = (SELECT working FROM stream_keys WHERE stream = 'run-1')
                   WHERE stream = 'run-2';
                   UPDATE stream_keys SET working = outcome WHERE stream = 'run-1'`);
    database.close();

    const reopened = open();
    await expect(reopened.find('run-1')).rejects.toThrow(StoreUnavailable);
    await expect(reopened.find('run-2')).rejects.toThrow('run-2/working is damaged');
  });

  it('keeps finding keys of more streams than it remembers', async () => {
    const store = open();
    const made = await Promise.all(Array.from({ length: 1200 }, (_, index) => store.create(`run-${index}`)));
    for (const [index, keys] of made.entries()) expect(await store.find(`run-${index}`)).toEqual(keys);
  });

  it('SEA-2 several processes that start at the same moment make the same keys', async () => {
    const key = MasterKey.generate();
    const programs = scratchFolder();
    compilePrograms(programs.path, 'create-keys');

    const processes = [1, 2, 3].map(() => startProgram(programs.path, 'create-keys', path, key, '100'));
    const secrets = await Promise.all(processes.map((child) => nextMessage<string[]>(child)));
    const codes = await Promise.all(processes.map(exitOf));
    programs.remove();

    expect(codes).toEqual([0, 0, 0]);
    expect(new Set(secrets[0]).size).toBe(100);
    expect(secrets[1]).toEqual(secrets[0]);
    expect(secrets[2]).toEqual(secrets[0]);
    const store = open(MasterKey.parse(key, 'this test'));
    const { working, outcome } = await store.find('run-7');
    expect(`${working?.secret.toString('hex')} ${outcome?.secret.toString('hex')}`).toBe(secrets[0]?.[7]);
  });

  it('is made readable by its owner only, and is not taken for a log', async () => {
    await open().close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await SqliteEventStore.open({ path: `${path}.log` }).close();
    path = `${path}.log`;
    expect(() => open()).toThrow('an SQLite database of another kind');
  });
});
