import { MemoryKeyStore, MemoryKeys } from '../support/memory-key-store.js';
import { keyStoreContract } from './key-store.contract.js';

keyStoreContract('memory', async () => {
  const keys = new MemoryKeys();
  let time = 0;
  return {
    open: async () => new MemoryKeyStore(keys, { now: () => time }),
    setTime: (epochMs) => {
      time = epochMs;
    },
    dispose: async () => {},
  };
});
