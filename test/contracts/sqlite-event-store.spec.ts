import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import { BEGINNING, type EventStore, type ExpectedRevision } from '../../src/event-store/event-store.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { anEvent, batchesUntil, caughtUp, ids, someEvents } from '../support/event-samples.js';
import { aMasterKey } from '../support/key-samples.js';
import { LoopWatch } from '../support/loop-watch.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { eventStoreContract } from './event-store.contract.js';

eventStoreContract('SQLite', async () => {
  const folder = scratchFolder();
  const opened: EventStore[] = [];
  return {
    async open() {
      const store = SqliteEventStore.open({ path: join(folder.path, 'events.db'), pollMs: 5 });
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close();
      folder.remove();
    },
  };
});

describe('the event log in an SQLite file', () => {
  const folder = scratchFolder();
  const opened: EventStore[] = [];
  let file = 0;
  let path: string;
  const open = (pollMs?: number) => {
    const store = SqliteEventStore.open({ path, ...(pollMs === undefined ? {} : { pollMs }) });
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

  it('begins empty, and its head does not go back when a stream is deleted', async () => {
    const store = open();
    expect(await store.head()).toBe(BEGINNING);
    expect(await caughtUp(store, { after: BEGINNING, prefixes: ['run-'] })).toEqual({
      events: [],
      position: BEGINNING,
    });

    const { position } = await store.append('key-1', 'no_stream', [anEvent()]);
    await store.deleteStream('key-1');

    expect(await store.head()).toBe(position);
    expect((await store.append('key-1', 'no_stream', [anEvent()])).position > position).toBe(true);
  });

  it('takes appends to one stream that are under way together, each at the revision of the one before', async () => {
    const store = open();
    const events = someEvents(200);
    let expected: ExpectedRevision = 'no_stream';
    const appends = events.map((event, index) => {
      const append = store.append('run-1', expected, [event]);
      expected = index;
      return append;
    });

    const revisions = (await Promise.all(appends)).map(({ revision }) => revision);

    expect(revisions).toEqual(events.map((_, index) => index));
    expect(ids(await store.read('run-1'))).toEqual(ids(events));
  });

  it('moves the position of a feed past what its prefixes leave out', async () => {
    const store = open();
    const { position } = await store.append('run-1', 'no_stream', [anEvent()]);
    const batches = await batchesUntil(store, { after: BEGINNING, prefixes: ['policy-'] }, (seen) => {
      if (seen.length === 1) void store.append('run-1', 0, [anEvent()]);
      return seen.length === 2;
    });

    expect(batches.map((batch) => batch.position)).toEqual([position, position + 1n]);
    expect(batches.flatMap((batch) => batch.events)).toEqual([]);
  });

  it('tells a feed of appends of the same process, and of its signal, without waiting to look again', async () => {
    const store = open(3_600_000);
    const controller = new AbortController();
    const received: number[] = [];

    for await (const batch of store.subscribe({
      after: BEGINNING,
      prefixes: ['run-'],
      signal: controller.signal,
    })) {
      received.push(batch.events.length);
      if (received.length === 1) setImmediate(() => void store.append('run-1', 'no_stream', someEvents(2)));
      else setImmediate(() => controller.abort());
    }

    expect(received).toEqual([0, 2]);
  });

  it('looks through a long log piece by piece when a prefix is no whole kind', async () => {
    const store = open();
    for (let index = 0; index < 220; index += 1) await store.append(`run-${index}`, 'no_stream', someEvents(100));
    const last = anEvent();
    await store.append('run-last', 'no_stream', [last]);

    const batches = await batchesUntil(store, { after: BEGINNING, prefixes: ['run-la'] }, (seen) => {
      return seen[seen.length - 1]?.caughtUp === true;
    });

    expect(batches.map((batch) => batch.events.length)).toEqual([0, 0, 1]);
    expect(ids(batches[2]?.events ?? [])).toEqual([last.id]);
  });

  it('ends a batch early when its events are large', async () => {
    const store = open();
    const large = () => anEvent({ text: 'x'.repeat(400 * 1024) });
    for (let index = 0; index < 30; index += 1) await store.append(`run-${index}`, 'no_stream', [large()]);

    const batches = await batchesUntil(store, { after: BEGINNING, prefixes: ['run-'] }, (seen) => {
      return seen[seen.length - 1]?.caughtUp === true;
    });

    expect(Math.max(...batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(11);
    expect(batches.flatMap((batch) => batch.events)).toHaveLength(30);
  });

  it('reads and follows while another process holds the write lock, and does not hold up the event loop', async () => {
    const store = open(5);
    const first = anEvent();
    await store.append('run-1', 'no_stream', [first]);
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    let answered = false;
    const append = store.append('run-1', 0, [anEvent()]).then(() => {
      answered = true;
    });

    const longestStallMs = await new LoopWatch().watchFor(300);

    expect(ids(await store.read('run-1'))).toEqual([first.id]);
    expect((await caughtUp(store, { after: BEGINNING, prefixes: ['run-'] })).events).toHaveLength(1);
    expect(answered).toBe(false);
    expect(longestStallMs).toBeLessThan(2_000);
    other.exec('ROLLBACK');
    other.close();
    await append;
  });

  it('is unavailable, with nothing written, when the lock is held for more than two seconds', async () => {
    const store = open();
    const events = [anEvent()];
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');

    await expect(store.append('run-1', 'no_stream', events)).rejects.toMatchObject({
      name: 'StoreUnavailable',
      outcomeUnknown: false,
    });
    other.exec('ROLLBACK');
    other.close();

    expect(await store.read('run-1')).toEqual([]);
    await expect(store.append('run-1', 'no_stream', events)).resolves.toMatchObject({ revision: 0 });
  });

  it('is made readable by its owner only', () => {
    open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('does not open a file that is damaged, of another kind or out of reach', async () => {
    writeFileSync(path, 'no database at all, but long enough to be taken for one'.repeat(100));
    expect(() => open()).toThrow(StoreUnavailable);
    path = `${path}.keys`;
    await SqliteKeyStore.open({ path, masterKey: aMasterKey() }).close();
    expect(() => open()).toThrow('an SQLite database of another kind');
    path = join(folder.path, 'no-such-folder', 'events.db');
    expect(() => open()).toThrow(StoreUnavailable);
  });

  it('does not open a file that a newer version has written', async () => {
    await open().close();
    const database = openDatabase(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => open()).toThrow('schema version 99');
  });
});
