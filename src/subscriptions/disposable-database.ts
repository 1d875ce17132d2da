import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Database } from '../sqlite/database.js';
import { DatabaseUnavailable, SchemaUnknown } from '../sqlite/errors.js';
import { openDatabase } from '../sqlite/open-database.js';

export interface DisposableKind {
  /** Written into the file, so that a file of another kind is refused and never deleted. */
  readonly applicationId: number;
  /** Raised when the same events would now make other rows in the same tables. */
  readonly revision: number;
  readonly schema: string;
}

/** How long opening waits for another process that does the same, in milliseconds. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Opens a file that holds nothing but what the log can make again. One of another schema or revision, or a damaged one,
 * is deleted and begun anew; a process that still has it open goes on with its own until it ends.
 *
 * @throws {SchemaUnknown} the file is something else.
 * @throws {DatabaseUnavailable} it cannot be opened.
 */
export function openDisposable(path: string, kind: DisposableKind): Database {
  return openIfCurrent(path, kind) ?? openedAnew(path, kind);
}

function openedAnew(path: string, kind: DisposableKind): Database {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const database = openIfCurrent(path, kind);
  if (database === undefined) throw new SchemaUnknown('a file just made has another schema');
  return database;
}

/**
 * Opens such a file only if it is sound and of this very schema and revision, and leaves any other as it is: for whoever
 * works on a file that is a running service's. One that does not exist is made.
 *
 * @throws {SchemaUnknown} @throws {DatabaseUnavailable}
 */
export function openIfCurrent(path: string, kind: DisposableKind): Database | undefined {
  let database: Database | undefined;
  try {
    database = openDatabase(path, { busyTimeoutMs: OPEN_TIMEOUT_MS });
    if (!hasSchema(database, kind)) {
      database.close();
      return undefined;
    }
    // A power cut may undo the latest transactions, rows and checkpoint together: the log brings them again.
    database.exec('PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof DatabaseUnavailable && error.reason === 'corrupt') return undefined;
    throw error;
  }
}

/** Makes the tables in a file without any; else says whether they are those of today. */
function hasSchema(database: Database, { applicationId, revision, schema }: DisposableKind): boolean {
  const fingerprint = fingerprintOf(`${revision}\n${schema}`);
  database.exec(`PRAGMA busy_timeout = ${OPEN_TIMEOUT_MS}`);
  try {
    return database.transaction(() => {
      const { kind, version, tables } = describe(database);
      if (kind === applicationId) return version === fingerprint;
      if (kind !== 0 || tables > 0) throw new SchemaUnknown('the file is an SQLite database of another kind');
      database.exec(schema);
      database.exec(`PRAGMA application_id = ${applicationId}`);
      database.exec(`PRAGMA user_version = ${fingerprint}`);
      return true;
    });
  } finally {
    database.exec('PRAGMA busy_timeout = 0');
  }
}

interface Description {
  readonly kind: number;
  readonly version: number;
  readonly tables: number;
}

function describe(database: Database): Description {
  const sql = `SELECT (SELECT application_id FROM pragma_application_id) AS kind,
    (SELECT user_version FROM pragma_user_version) AS version, (SELECT count(*) FROM sqlite_schema) AS tables`;
  return database.prepare<Description>(sql).get() as Description;
}

/** 31 bits of a digest, which is what fits into `user_version` as a positive number. */
function fingerprintOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) >>> 1;
}
