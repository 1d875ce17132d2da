import { MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { eventStoreContract } from './event-store.contract.js';

eventStoreContract('memory', async () => {
  const log = new MemoryLog();
  return { open: async () => new MemoryEventStore(log), dispose: async () => {} };
});
