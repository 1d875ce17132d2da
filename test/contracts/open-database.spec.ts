import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnavailable, SchemaUnknown } from '../../src/sqlite/errors.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { scratchFolder } from '../support/scratch-folder.js';

const CREATE_A = 'CREATE TABLE a (n INTEGER)';
const ADD_B = 'ALTER TABLE a ADD COLUMN b TEXT; INSERT INTO a VALUES (1, NULL)';

describe('opening a database', () => {
  const folder = scratchFolder();
  let file = 0;
  let path: string;

  beforeEach(() => {
    file += 1;
    path = join(folder.path, `${file}.db`);
  });
  afterAll(() => folder.remove());

  const withSteps = (...steps: string[]) => ({ migrations: { applicationId: 7, steps } });
  const single = (database: ReturnType<typeof openDatabase>, sql: string) =>
    Object.values(database.prepare<Record<string, unknown>>(sql).get() ?? {})[0];

  it('sets what makes commits durable and readers free, and waits for no lock afterwards', () => {
    const database = openDatabase(path);
    expect(single(database, 'PRAGMA journal_mode')).toBe('wal');
    expect(single(database, 'PRAGMA synchronous')).toBe(2);
    expect(single(database, 'PRAGMA foreign_keys')).toBe(1);
    expect(single(database, 'PRAGMA busy_timeout')).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    database.close();
    database.close();
  });

  it('is undone by closing, which leaves all that was written in the file itself', () => {
    const database = openDatabase(path, withSteps(CREATE_A));
    const insert = database.prepare('INSERT INTO a VALUES (7)');
    insert.run();
    database.close();
    copyFileSync(path, `${path}.alone`);
    const copy = openDatabase(`${path}.alone`, withSteps(CREATE_A));
    expect(copy.prepare('SELECT * FROM a').all()).toEqual([{ n: 7 }]);
    copy.close();
  });

  it('is undone by closing also while another process has the file open and reads it', () => {
    const database = openDatabase(path, withSteps(CREATE_A));
    const reader = openDatabase(path, withSteps(CREATE_A));
    reader.exec('BEGIN; SELECT * FROM a');
    database.exec('INSERT INTO a VALUES (7)');
    database.close();
    reader.exec('COMMIT');
    expect(reader.prepare('SELECT * FROM a').all()).toEqual([{ n: 7 }]);
    reader.close();
  });

  it('applies each migration once, in order', () => {
    openDatabase(path, withSteps(CREATE_A)).close();
    openDatabase(path, withSteps(CREATE_A, ADD_B)).close();
    const database = openDatabase(path, withSteps(CREATE_A, ADD_B));
    expect(database.prepare('SELECT * FROM a').all()).toEqual([{ n: 1, b: null }]);
    database.close();
  });

  it('applies all new migrations or none', () => {
    expect(() => openDatabase(path, withSteps(CREATE_A, 'no SQL'))).toThrow('syntax error');
    const database = openDatabase(path, withSteps(CREATE_A));
    expect(database.prepare('SELECT * FROM a').all()).toEqual([]);
    database.close();
  });

  it('refuses a file of a newer version and one of another kind', () => {
    openDatabase(path, withSteps(CREATE_A, ADD_B)).close();
    expect(() => openDatabase(path, withSteps(CREATE_A))).toThrow(SchemaUnknown);
    const others = { migrations: { applicationId: 8, steps: [CREATE_A, ADD_B] } };
    expect(() => openDatabase(path, others)).toThrow(SchemaUnknown);

    const unversioned = `${path}.2`;
    const database = openDatabase(unversioned);
    database.exec(CREATE_A);
    database.close();
    expect(() => openDatabase(unversioned, withSteps(CREATE_A))).toThrow(SchemaUnknown);
  });

  it('waits while another process holds the lock, and says so when that takes too long', () => {
    const other = openDatabase(path, withSteps(CREATE_A));
    other.exec('BEGIN IMMEDIATE');
    const open = () => openDatabase(path, { ...withSteps(CREATE_A, ADD_B), busyTimeoutMs: 50 });
    expect(open).toThrow(expect.objectContaining({ name: 'DatabaseUnavailable', reason: 'busy' }));
    other.exec('ROLLBACK');
    open().close();
    other.close();
  });

  it('makes no file when it only reads, and does not write to it', () => {
    expect(() => openDatabase(path, { readOnly: true })).toThrow(DatabaseUnavailable);
    expect(existsSync(path)).toBe(false);
    openDatabase(path, withSteps(CREATE_A)).close();
    const database = openDatabase(path, { readOnly: true });
    expect(() => database.exec('INSERT INTO a VALUES (1)')).toThrow(
      expect.objectContaining({ reason: 'read_only', outcomeUnknown: false }),
    );
    database.close();
  });

  it('says that a file is no database', () => {
    writeFileSync(path, 'something else '.repeat(500));
    expect(() => openDatabase(path)).toThrow(expect.objectContaining({ reason: 'corrupt' }));
  });

  it('reads integers as numbers, or as bigints where it is asked to', () => {
    const database = openDatabase(':memory:');
    const sql = 'SELECT 9007199254740993 AS n';
    expect(database.prepare(sql, { bigints: true }).get()).toEqual({ n: 9007199254740993n });
    expect(() => database.prepare(sql).get()).toThrow('too large');
    database.close();
  });

  it('ends a read when its loop is left, so that the write-ahead log can be emptied', () => {
    const database = openDatabase(path, withSteps(CREATE_A, 'INSERT INTO a VALUES (1), (2), (3)'));
    const other = openDatabase(path);
    const truncate = () => single(other, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const rows = database.prepare<{ n: number }>('SELECT n FROM a').iterate();

    rows.next();
    other.exec('INSERT INTO a VALUES (4)');
    expect(truncate()).toBe(1);
    for (const { n } of rows) if (n === 2) break;
    expect(truncate()).toBe(0);

    other.close();
    database.close();
  });

  it('commits a transaction as a whole or not at all', () => {
    const database = openDatabase(':memory:', withSteps(CREATE_A));
    const insert = database.prepare('INSERT INTO a VALUES (?)');
    expect(database.transaction(() => insert.run(1))).toBe(1);
    expect(() =>
      database.transaction(() => {
        insert.run(2);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(database.prepare('SELECT n FROM a').all()).toEqual([{ n: 1 }]);
    expect([...database.prepare('SELECT n FROM a').iterate()]).toEqual([{ n: 1 }]);
    database.close();
    expect(() => insert.run(3)).toThrow(expect.objectContaining({ reason: 'closed' }));
  });
});
