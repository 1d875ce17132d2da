import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaUnknown } from '../../src/sqlite/errors.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { type DisposableKind, openDisposable } from '../../src/subscriptions/disposable-database.js';
import { scratchFolder } from '../support/scratch-folder.js';

describe('A disposable database', () => {
  const folder = scratchFolder();
  afterAll(() => folder.remove());
  const kind: DisposableKind = { applicationId: 77, revision: 1, schema: 'CREATE TABLE t (x INTEGER);' };
  let files = 0;
  const aPath = () => {
    files += 1;
    return join(folder.path, `disposable-${files}.sqlite`);
  };

  function rowsAfterReopening(path: string, reopenedAs: DisposableKind): number {
    const database = openDisposable(path, reopenedAs);
    const rows = database.prepare('SELECT * FROM t').all().length;
    database.close();
    return rows;
  }

  function filled(): string {
    const path = aPath();
    const database = openDisposable(path, kind);
    database.exec('INSERT INTO t (x) VALUES (1)');
    database.close();
    return path;
  }

  it('keeps its rows while schema and revision are the same', () => {
    expect(rowsAfterReopening(filled(), kind)).toBe(1);
  });

  it('begins anew when the schema changed', () => {
    expect(rowsAfterReopening(filled(), { ...kind, schema: 'CREATE TABLE t (x INTEGER, y INTEGER);' })).toBe(0);
  });

  it('begins anew when the same events would make other rows', () => {
    expect(rowsAfterReopening(filled(), { ...kind, revision: 2 })).toBe(0);
  });

  it('begins anew when the file is damaged', () => {
    const path = aPath();
    writeFileSync(path, 'this is no database, and long enough to be looked at '.repeat(50));
    expect(rowsAfterReopening(path, kind)).toBe(0);
  });

  it('refuses to delete a file of another kind', () => {
    const path = aPath();
    const other = openDatabase(path);
    other.exec('CREATE TABLE precious (x INTEGER)');
    other.close();
    expect(() => openDisposable(path, kind)).toThrow(SchemaUnknown);
  });

  it('lets a process that still has an older file go on with it', () => {
    const path = filled();
    const older = openDisposable(path, kind);
    const newer = openDisposable(path, { ...kind, revision: 2 });
    older.exec('INSERT INTO t (x) VALUES (2)');
    expect(older.prepare('SELECT * FROM t').all()).toHaveLength(2);
    expect(newer.prepare('SELECT * FROM t').all()).toHaveLength(0);
    older.close();
    newer.close();
  });
});
