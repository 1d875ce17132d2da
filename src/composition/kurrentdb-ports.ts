import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import { DATA_FILES } from '../config/data-files.js';
import { type Environment, EnvironmentInvalid } from '../config/environment.js';
import { EventStore } from '../event-store/event-store.js';
import { KeyStore } from '../event-store/key-store.js';
import type { KurrentDbConnection } from '../event-store/kurrentdb/kurrentdb-connection.js';
import { MasterKey } from '../event-store/master-key.js';
import { loadMasterKey } from '../event-store/master-key-file.js';
import { SERVICE_KEYS, type ServiceKeys } from './service-keys.js';

const KURRENTDB = Symbol('kurrentdb connection');

/** Log and keys in streams of a cluster. The client is loaded only where it is needed: it is large, and most services are on their own files. */
export function kurrentDbPorts({ dataDir, masterKey }: Environment, connectionString: string): Provider[] {
  return [
    {
      provide: MasterKey,
      // Every node needs the same key, so none ever makes one of its own.
      useFactory: () =>
        loadMasterKey({ fromEnvironment: masterKey, file: join(dataDir, DATA_FILES.masterKey), hasSealedData: true }),
    },
    {
      provide: SERVICE_KEYS,
      useFactory:
        (masterKey: MasterKey): ServiceKeys =>
        (purpose) =>
          masterKey.derive(purpose),
      inject: [MasterKey],
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
      provide: KeyStore,
      useFactory: async (connection: KurrentDbConnection, key: MasterKey) => {
        const { KurrentDbKeyStore } = await import('../event-store/kurrentdb/kurrentdb-key-store.js');
        return KurrentDbKeyStore.open({ connection, masterKey: key });
      },
      inject: [KURRENTDB, MasterKey],
    },
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
