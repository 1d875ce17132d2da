import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { isBusy } from './busy.js';
import { Database } from './database.js';
import { DatabaseUnavailable, SchemaUnknown, translated } from './errors.js';
import { type Migrations, migrate } from './migrations.js';

export interface DatabaseOptions {
  /** Opens the file for reading only; it must exist. */
  readonly readOnly?: boolean;
  /** Shuts every other connection out until it is closed, and fails as `busy` where there is one. */
  readonly exclusive?: boolean;
  /** How long opening waits for other processes, in milliseconds; the thread is blocked meanwhile. Default 5000. */
  readonly busyTimeoutMs?: number;
  /** Brings the schema up to date while opening. */
  readonly migrations?: Migrations;
  /** Runs at the end of opening, and once more from its beginning whenever it found the file locked. */
  readonly prepare?: (database: Database) => void;
}

/**
 * Opens a database file, which is made (readable by its owner only) when there is none, or a database in memory.
 *
 * Write-ahead log and `synchronous=FULL`: readers never wait for a writer, and what was committed survives a power cut.
 *
 * @throws {DatabaseUnavailable} the file cannot be opened, is damaged or is locked.
 * @throws {SchemaUnknown} the file was written by a newer version, or by something else.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  try {
    return openedDatabase(path, options);
  } catch (error) {
    throw naming(basename(path), error);
  }
}

function openedDatabase(path: string, options: DatabaseOptions): Database {
  const { readOnly = false, exclusive = false, busyTimeoutMs = 5_000, migrations, prepare } = options;
  if (path !== ':memory:' && !readOnly) createPrivately(path);
  let connection: DatabaseSyncInstance;
  try {
    connection = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  } catch (error) {
    throw translated(error);
  }
  const database = new Database(connection);
  try {
    // Before anything else: a connection that already shares memory with others would not find out about them.
    if (exclusive) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    if (!readOnly) whileLocked(busyTimeoutMs, () => database.exec('PRAGMA journal_mode = WAL'));
    database.exec('PRAGMA synchronous = FULL');
    if (migrations) whileLocked(busyTimeoutMs, () => migrate(database, migrations));
    if (prepare) whileLocked(busyTimeoutMs, () => prepare(database));
    database.exec('PRAGMA busy_timeout = 0');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Whoever starts a service has several files, so what is wrong is said of one of them. */
function naming(file: string, error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) {
    return new DatabaseUnavailable(error.reason, error.outcomeUnknown, { cause: error.cause ?? error, file });
  }
  if (error instanceof SchemaUnknown) return new SchemaUnknown(`${file}: ${error.message}`, { cause: error });
  return error;
}

/** Only a file that is new is ever opened here: closing a second handle on a database drops this process's locks on it. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new DatabaseUnavailable('cannot_open', false, { cause: error });
    }
  }
}

/** SQLite does not wait by itself where waiting could deadlock, as when two processes switch a new file to WAL. */
function whileLocked(patienceMs: number, action: () => void): void {
  const deadline = performance.now() + patienceMs;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      action();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Atomics.wait(never, 0, 0, 5);
    }
  }
}
