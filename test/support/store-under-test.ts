import { join } from 'node:path';
import { EventStoreDouble } from './eventstore-double/eventstore-double.js';
import { scratchFolder } from './scratch-folder.js';
import { Service } from './service.js';

/** Where the processes of a test have their log: what passes on one has to pass on the other. */
export interface StoreUnderTest {
  /** Another process of the service on the same log. */
  startNode(env?: Readonly<Record<string, string>>): Promise<Service>;
  /** Stops the processes that were started and removes everything. */
  remove(): Promise<void>;
}

type OpenStore = () => Promise<StoreUnderTest>;

/** Both stores, for `describe.each`. With `ESDB_URL` set the second is that server, otherwise its double. */
export const STORES: readonly (readonly [name: string, open: OpenStore])[] = [
  ['SQLite', openSqlite],
  [process.env.ESDB_URL === undefined ? 'the double of KurrentDB' : 'KurrentDB', openKurrentDb],
];

async function openSqlite(): Promise<StoreUnderTest> {
  const folder = scratchFolder();
  const nodes: Service[] = [];
  return {
    async startNode(env = {}) {
      const node = await Service.start({ dataDir: folder.path, env });
      nodes.push(node);
      return node;
    },
    async remove() {
      await Promise.all(nodes.map((node) => node.stop()));
      folder.remove();
    },
  };
}

/** Each node has a folder of its own for what follows the log; the master key is the same for all. */
async function openKurrentDb(): Promise<StoreUnderTest> {
  const folder = scratchFolder();
  const double = process.env.ESDB_URL === undefined ? await EventStoreDouble.start() : null;
  const nodes: Service[] = [];
  const shared = {
    HOLDPOINT_STORE: process.env.ESDB_URL ?? double?.connectionString ?? '',
    HOLDPOINT_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  };
  return {
    async startNode(env = {}) {
      const dataDir = join(folder.path, `node-${nodes.length}`);
      const node = await Service.start({ dataDir, env: { ...shared, ...env } });
      nodes.push(node);
      return node;
    },
    async remove() {
      await Promise.all(nodes.map((node) => node.stop()));
      await double?.stop();
      folder.remove();
    },
  };
}
