import type { Provider } from '@nestjs/common';
import { type Environment, EnvironmentInvalid } from '../config/environment.js';
import { EventStore } from '../event-store/event-store.js';
import { KeyStore } from '../event-store/key-store.js';
import type { KurrentDbConnection } from '../event-store/kurrentdb/kurrentdb-connection.js';
import type { KurrentDbKeyStore } from '../event-store/kurrentdb/kurrentdb-key-store.js';
import { findMasterKeys } from '../event-store/master-key-file.js';
import { MasterKeys } from '../event-store/master-keys.js';
import { masterKeySource } from './master-key-source.js';
import { SERVICE_KEYS, type ServiceKeys } from './service-keys.js';

const KURRENTDB = Symbol('kurrentdb connection');
const KURRENTDB_KEYS = Symbol('kurrentdb keys');

/** Log and keys in streams of a cluster. The client is loaded only where it is needed: it is large, and most services are on their own files. */
export function kurrentDbPorts(environment: Environment, connectionString: string): Provider[] {
  return [
    {
      provide: MasterKeys,
      // Every node needs the same key, so none ever makes one of its own.
      useFactory: () => findMasterKeys(masterKeySource(environment, true)),
    },
    {
      provide: SERVICE_KEYS,
      useFactory:
        (keys: KurrentDbKeyStore): ServiceKeys =>
        (purpose) =>
          keys.serviceKey(purpose),
      inject: [KURRENTDB_KEYS],
    },
    {
      provide: KURRENTDB,
      useFactory: async () => {
        const { KurrentDbConnection } = await import('../event-store/kurrentdb/kurrentdb-connection.js');
        const { ConnectionStringInvalid } = await import('../event-store/kurrentdb/connection-string.js');
        try {
          return KurrentDbConnection.open(connectionString);
        } catch (failure) {
          // Its message repeats nothing of the string, which holds a password.
          if (failure instanceof ConnectionStringInvalid) {
            throw new EnvironmentInvalid([`HOLDPOINT_STORE: ${failure.message}`]);
          }
          throw failure;
        }
      },
    },
    {
      provide: KURRENTDB_KEYS,
      useFactory: async (connection: KurrentDbConnection, masterKey: MasterKeys) => {
        const { KurrentDbKeyStore } = await import('../event-store/kurrentdb/kurrentdb-key-store.js');
        return KurrentDbKeyStore.open({ connection, masterKey });
      },
      inject: [KURRENTDB, MasterKeys],
    },
    { provide: KeyStore, useExisting: KURRENTDB_KEYS },
    {
      provide: EventStore,
      useFactory: async (connection: KurrentDbConnection, _keys: KeyStore) => {
        const { KurrentDbEventStore } = await import('../event-store/kurrentdb/kurrentdb-event-store.js');
        return new KurrentDbEventStore({ connection });
      },
      inject: [KURRENTDB, KeyStore],
    },
  ];
}
