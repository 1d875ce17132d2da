import { join } from 'node:path';
import type { EventStore } from '../../src/event-store/event-store.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { eventStoreContract } from './event-store.contract.js';

eventStoreContract('SQLite', async () => {
  const folder = scratchFolder();
  const opened: EventStore[] = [];
  return {
    async open() {
      const store = SqliteEventStore.open({ path: join(folder.path, 'events.db'), pollMs: 5 });
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close();
      folder.remove();
    },
  };
});
