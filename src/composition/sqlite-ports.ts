import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import { DATA_FILES, type DataFile } from '../config/data-files.js';
import { type Environment, EnvironmentInvalid } from '../config/environment.js';
import { StoreUnavailable } from '../event-store/errors.js';
import { EventStore } from '../event-store/event-store.js';
import { KeyStore } from '../event-store/key-store.js';
import { findMasterKeys } from '../event-store/master-key-file.js';
import { MasterKeys } from '../event-store/master-keys.js';
import { SqliteEventStore } from '../event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../event-store/sqlite/sqlite-key-store.js';
import { SchemaUnknown } from '../sqlite/errors.js';
import { masterKeySource } from './master-key-source.js';
import { SERVICE_KEYS, type ServiceKeys } from './service-keys.js';

/** Log and keys in files of the data folder. */
export function sqlitePorts(environment: Environment, hasSealedData: boolean): Provider[] {
  const file = (name: DataFile) => join(environment.dataDir, DATA_FILES[name]);
  return [
    {
      provide: MasterKeys,
      useFactory: () => findMasterKeys(masterKeySource(environment, hasSealedData)),
    },
    {
      provide: SqliteKeyStore,
      useFactory: (masterKey: MasterKeys) => {
        assertKeysBesideLog(environment.dataDir);
        return opened(() => SqliteKeyStore.open({ path: file('keys'), masterKey }));
      },
      inject: [MasterKeys],
    },
    { provide: KeyStore, useExisting: SqliteKeyStore },
    {
      provide: SERVICE_KEYS,
      useFactory:
        (keys: SqliteKeyStore): ServiceKeys =>
        (purpose) =>
          keys.serviceKey(purpose),
      inject: [SqliteKeyStore],
    },
    {
      provide: EventStore,
      // Behind the key store: with a wrong master key nothing is opened at all (SEA-4).
      useFactory: (_keys: KeyStore) => opened(() => SqliteEventStore.open({ path: file('log') })),
      inject: [KeyStore],
    },
  ];
}

/** @throws {EnvironmentInvalid} what it opens is damaged, full, locked, not to be written or of a newer version. */
function opened<Store>(open: () => Store): Store {
  try {
    return open();
  } catch (failure) {
    if (!(failure instanceof StoreUnavailable || failure instanceof SchemaUnknown)) throw failure;
    throw new EnvironmentInvalid([
      `HOLDPOINT_DATA_DIR: ${failure.message}. What to do is in docs/operating.md, "When something is broken".`,
    ]);
  }
}

/**
 * A log whose keys are gone is no place to begin a new file of keys: everything in it would count as erased.
 *
 * @throws {EnvironmentInvalid}
 */
function assertKeysBesideLog(dataDir: string): void {
  const has = (name: DataFile) => existsSync(join(dataDir, DATA_FILES[name]));
  if (!has('log') || has('keys')) return;
  throw new EnvironmentInvalid([
    `HOLDPOINT_DATA_DIR must have the keys beside the log: there is ${DATA_FILES.log} without ${DATA_FILES.keys}. Put the keys back from their backup.`,
  ]);
}
