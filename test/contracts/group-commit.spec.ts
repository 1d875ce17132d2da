import { join } from 'node:path';
import { LOCK_PATIENCE_MS } from '../../src/sqlite/busy.js';
import type { Database } from '../../src/sqlite/database.js';
import { GroupCommit } from '../../src/sqlite/group-commit.js';
import type { Migrations } from '../../src/sqlite/migrations.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { holdUpTheLoop, LoopWatch } from '../support/loop-watch.js';
import { scratchFolder } from '../support/scratch-folder.js';

const MIGRATIONS: Migrations = {
  applicationId: 1,
  steps: [
    `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
     CREATE TABLE replies (note INTEGER NOT NULL REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED) STRICT;`,
  ],
};

describe('group commit', () => {
  const folder = scratchFolder();
  let file = 0;
  let path: string;
  let database: Database;

  beforeEach(() => {
    file += 1;
    path = join(folder.path, `${file}.db`);
    database = openDatabase(path, { migrations: MIGRATIONS });
  });

  afterEach(() => database.close());
  afterAll(() => folder.remove());

  const note = (text: string) => () => database.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
  const reply = (to: number) => () => database.prepare('INSERT INTO replies VALUES (?)').run(to);
  const noteCount = () => database.prepare<{ n: number }>('SELECT count(*) AS n FROM notes').get()?.n;
  const unavailable = (reason: string, outcomeUnknown: boolean) =>
    expect.objectContaining({ name: 'DatabaseUnavailable', reason, outcomeUnknown });

  it('gives each write of a group its own result', async () => {
    const writes = new GroupCommit(database);

    const results = await Promise.allSettled([
      writes.write(note('a')),
      writes.write(note('a')),
      writes.write(() => {
        note('undone')();
        throw new Error('changed my mind');
      }),
      writes.write(() => {
        note('b')();
        return 'the result';
      }),
    ]);

    expect(results).toMatchObject([
      { value: 1 },
      { reason: { message: expect.stringContaining('UNIQUE') } },
      { reason: { message: 'changed my mind' } },
      { value: 'the result' },
    ]);
    expect(database.prepare('SELECT text FROM notes ORDER BY id').all()).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  it('commits at most 64 writes together, in the order they came', async () => {
    const writes = new GroupCommit(database);
    const counted = openDatabase(path, { readOnly: true });
    const committed = counted.prepare<{ n: number }>('SELECT count(*) AS n FROM notes');
    const seen = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        writes.write(note(`${index}`)).then(() => committed.get()?.n as number),
      ),
    );
    counted.close();

    expect([...new Set(seen)]).toEqual([64, 128, 150]);
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
  });

  it('ends a group at one mebibyte', async () => {
    const writes = new GroupCommit(database);
    const counted = openDatabase(path, { readOnly: true });
    const committed = counted.prepare<{ n: number }>('SELECT count(*) AS n FROM notes');
    const seen = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        writes.write(note(`${index}`), 400 * 1024).then(() => committed.get()?.n as number),
      ),
    );
    counted.close();

    expect(seen).toEqual([2, 2, 4, 4, 5]);
  });

  it('lets input and output go on between two groups', async () => {
    const writes = new GroupCommit(database);
    let turns = 0;
    let running = true;
    const turn = () => {
      turns += 1;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);

    await Promise.all(Array.from({ length: 64 * 20 }, (_, index) => writes.write(note(`${index}`))));
    running = false;

    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('tells everybody in the group that the outcome is unknown when the commit fails', async () => {
    const writes = new GroupCommit(database);

    const results = await Promise.allSettled([
      writes.write(note('a')),
      writes.write(reply(99)),
      writes.write(() => {
        throw new Error('judged on what was not committed');
      }),
    ]);

    const unknown = { status: 'rejected', reason: unavailable('commit_failed', true) };
    expect(results).toEqual([unknown, unknown, unknown]);
    expect(noteCount()).toBe(0);
    await expect(writes.write(note('a'))).resolves.toBe(1);
  });

  it('tells everybody in the group that nothing was written when the disk is full', async () => {
    const writes = new GroupCommit(database);
    database.exec('PRAGMA max_page_count = 10');

    const results = await Promise.allSettled([
      writes.write(note('small')),
      writes.write(note('large'.repeat(20_000))),
      writes.write(note('also small')),
    ]);

    const full = { status: 'rejected', reason: unavailable('full', false) };
    expect(results).toEqual([full, full, full]);
    expect(noteCount()).toBe(0);
    await expect(writes.write(note('small'))).resolves.toBe(1);
  });

  it('tells everybody in the group that nothing was written when a write ends the transaction', async () => {
    const writes = new GroupCommit(database);
    const ending = () => database.exec("INSERT OR ROLLBACK INTO notes (text) VALUES ('a')");

    const results = await Promise.allSettled([writes.write(note('a')), writes.write(ending), writes.write(note('b'))]);

    const cause = expect.objectContaining({ message: expect.stringContaining('UNIQUE') });
    const undone = { status: 'rejected', reason: expect.objectContaining({ outcomeUnknown: false, cause }) };
    expect(results).toEqual([undone, undone, undone]);
    expect(noteCount()).toBe(0);
  });

  it('refuses writes to a file that cannot be written', async () => {
    database.close();
    database = openDatabase(path, { readOnly: true });
    const writes = new GroupCommit(database);

    await expect(writes.write(note('a'))).rejects.toEqual(unavailable('read_only', false));
  });

  it('waits for the lock of another connection without holding up the event loop', async () => {
    const writes = new GroupCommit(database);
    const other = openDatabase(path);
    const loop = new LoopWatch();
    other.exec('BEGIN IMMEDIATE');
    let written = false;
    const write = writes.write(note('a')).then(() => {
      written = true;
    });

    const longestStallMs = await loop.watchFor(300);
    expect(written).toBe(false);
    other.exec('ROLLBACK');
    await write;
    other.close();

    // SQLite's own waiting would hold it up for its five seconds; a busy machine does for a fraction of one.
    expect(longestStallMs).toBeLessThan(2_000);
    expect(noteCount()).toBe(1);
  });

  it('gives up after two seconds of waiting for the lock, and writes again once it is free', async () => {
    const writes = new GroupCommit(database);
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const start = performance.now();

    await expect(writes.write(note('a'))).rejects.toEqual(unavailable('busy', false));
    const waitedMs = performance.now() - start;
    other.exec('ROLLBACK');
    other.close();

    expect(waitedMs).toBeGreaterThanOrEqual(LOCK_PATIENCE_MS);
    expect(waitedMs).toBeLessThan(2 * LOCK_PATIENCE_MS);
    await expect(writes.write(note('a'))).resolves.toBe(1);
  });

  it('gives a write that comes while others wait for the lock its whole patience', async () => {
    const writes = new GroupCommit(database, { lockPatienceMs: 200 });
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const early = expect(writes.write(note('early'))).rejects.toEqual(unavailable('busy', false));
    await new LoopWatch().watchFor(100);
    const start = performance.now();

    await expect(writes.write(note('late'))).rejects.toEqual(unavailable('busy', false));

    expect(performance.now() - start).toBeGreaterThanOrEqual(200);
    await early;
    other.close();
  });

  it('does not count the time that a write stood in the queue before the lock was found taken', async () => {
    const writes = new GroupCommit(database, { lockPatienceMs: 600 });
    for (const text of ['once', 'again']) {
      const other = openDatabase(path);
      other.exec('BEGIN IMMEDIATE');
      const write = writes.write(note(text));
      holdUpTheLoop(650);
      await new LoopWatch().watchFor(0);
      other.exec('ROLLBACK');
      other.close();
      await expect(write).resolves.toBe(1);
    }
  });

  it('has room again for what it gave up', async () => {
    const writes = new GroupCommit(database, { lockPatienceMs: 20 });
    const other = openDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const most = () => Array.from({ length: 64 }, (_, index) => writes.write(note(`${index}`), 1024 * 1024));

    const busy = { status: 'rejected', reason: unavailable('busy', false) };
    expect(await Promise.allSettled(most())).toEqual(Array.from({ length: 64 }, () => busy));
    other.close();

    await Promise.all(most());
  });

  it('refuses at once what is more than it can keep waiting', async () => {
    const writes = new GroupCommit(database);
    const mebibyte = 1024 * 1024;
    const waiting = Array.from({ length: 64 }, (_, index) => writes.write(note(`${index}`), mebibyte));

    await expect(writes.write(note('one more'), mebibyte)).rejects.toEqual(unavailable('overloaded', false));
    await Promise.all(waiting);
    await expect(writes.write(note('later'), mebibyte)).resolves.toBe(1);
  });

  it('settles what waits before it closes, and takes nothing after', async () => {
    const writes = new GroupCommit(database);
    const waiting = Array.from({ length: 200 }, (_, index) => writes.write(note(`${index}`)));

    await writes.close();

    expect(noteCount()).toBe(200);
    await Promise.all(waiting);
    await expect(writes.write(note('late'))).rejects.toEqual(unavailable('closed', false));
    await writes.close();
  });

  it('fails the writes that wait when the database is closed under it', async () => {
    const writes = new GroupCommit(database);
    const write = writes.write(note('a'));
    database.close();
    await expect(write).rejects.toEqual(unavailable('closed', false));
  });
});
