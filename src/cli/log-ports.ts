import { EnvironmentInvalid } from '../config/environment.js';
import type { EventStore } from '../event-store/event-store.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { KurrentDbConnection } from '../event-store/kurrentdb/kurrentdb-connection.js';
import { SqliteEventStore } from '../event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../event-store/sqlite/sqlite-key-store.js';
import type { DataFolder } from './data-folder.js';

/** Log and keys of a service, beside it or without it. */
export interface LogPorts {
  readonly store: EventStore;
  readonly keys: KeyStore;
}

/** After how long a silence a feed of a command looks whether there is more, in milliseconds: a command does not wait long. */
const QUIET_MS = 1_000;

/** The connection to the server that keeps the log. The client is loaded only where it is needed. @throws {EnvironmentInvalid} */
export async function connectionTo(connectionString: string): Promise<KurrentDbConnection> {
  const { KurrentDbConnection } = await import('../event-store/kurrentdb/kurrentdb-connection.js');
  const { ConnectionStringInvalid } = await import('../event-store/kurrentdb/connection-string.js');
  try {
    return KurrentDbConnection.open(connectionString);
  } catch (failure) {
    // Its message repeats nothing of the string, which holds a password.
    if (failure instanceof ConnectionStringInvalid)
      throw new EnvironmentInvalid([`HOLDPOINT_STORE: ${failure.message}`]);
    throw failure;
  }
}

/** The log alone, wherever it is. @throws {StoreUnavailable} @throws {SchemaUnknown} @throws {EnvironmentInvalid} */
export async function withLog<T>(data: DataFolder, work: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await openedLog(data);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function openedLog({ server, file }: DataFolder): Promise<EventStore> {
  if (server === undefined) return SqliteEventStore.open({ path: file('log') });
  const { KurrentDbEventStore } = await import('../event-store/kurrentdb/kurrentdb-event-store.js');
  return new KurrentDbEventStore({ connection: await connectionTo(server), quietMs: QUIET_MS });
}

/** Log and keys. @throws {MasterKeyUnusable} @throws as {@link withLog} */
export async function withLogAndKeys<T>(data: DataFolder, work: (ports: LogPorts) => Promise<T>): Promise<T> {
  const { server } = data;
  if (server !== undefined) return await withServersPorts(data, server, work);
  const keys = SqliteKeyStore.open({ path: data.file('keys'), masterKey: data.masterKeys() });
  try {
    return await withLog(data, (store) => work({ store, keys }));
  } finally {
    await keys.close();
  }
}

async function withServersPorts<T>(
  data: DataFolder,
  server: string,
  work: (ports: LogPorts) => Promise<T>,
): Promise<T> {
  const { KurrentDbEventStore } = await import('../event-store/kurrentdb/kurrentdb-event-store.js');
  const { KurrentDbKeyStore } = await import('../event-store/kurrentdb/kurrentdb-key-store.js');
  const masterKey = data.masterKeys();
  const connection = await connectionTo(server);
  try {
    // A command begins no log: a server without one is another than was meant.
    const keys = await KurrentDbKeyStore.open({ connection, masterKey, mayBegin: false });
    const result = await work({ store: new KurrentDbEventStore({ connection, quietMs: QUIET_MS }), keys });
    await keys.close();
    return result;
  } finally {
    await connection.close();
  }
}
