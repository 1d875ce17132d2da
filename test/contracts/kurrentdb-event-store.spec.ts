import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { eventStoreContract } from './event-store.contract.js';

let double: EventStoreDouble | undefined;
let where = process.env.ESDB_URL;
beforeAll(async () => {
  if (where !== undefined) return;
  double = await EventStoreDouble.start();
  where = double.connectionString;
});
afterAll(() => double?.stop());

eventStoreContract('KurrentDB', async () => {
  const opened: KurrentDbEventStore[] = [];
  return {
    async open() {
      const store = new KurrentDbEventStore({ connection: KurrentDbConnection.open(where as string) });
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close();
    },
  };
});
