import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore } from '../../src/event-store/event-store.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { KurrentDbKeyStore } from '../../src/event-store/kurrentdb/kurrentdb-key-store.js';
import { MasterKey } from '../../src/event-store/master-key.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { filesIn } from './data-folder.js';
import { EventStoreDouble } from './eventstore-double/eventstore-double.js';
import { type ScratchFolder, scratchFolder } from './scratch-folder.js';
import { Service, type ServiceOptions } from './service.js';

export interface NodeOptions {
  /** Path of the program; absent: the built service itself. */
  readonly program?: string;
  /** Which node it is: one that was there before finds what it had. Absent: a new one. */
  readonly node?: number;
}

/** The log and its keys, opened beside the processes of the service. */
export interface OpenedPorts {
  readonly store: EventStore;
  readonly keys: KeyStore;
  close(): Promise<void>;
}

/** Where the processes of a test have their log: what passes on one has to pass on the other. */
export abstract class StoreUnderTest {
  readonly #scratch: ScratchFolder = scratchFolder();
  readonly #started: Service[] = [];
  #nodes = 0;

  /** True where the log is in the folder of the nodes. */
  abstract readonly inFolder: boolean;

  /** Everything that nodes keep is below it. */
  get folder(): string {
    return this.#scratch.path;
  }

  /** What a node is started with, whether or not its start succeeds. */
  nodeOptions(env: Readonly<Record<string, string>> = {}, { program, node }: NodeOptions = {}): ServiceOptions {
    const number = node ?? this.#nodes;
    this.#nodes = Math.max(this.#nodes, number + 1);
    return { ...this.place(number), env: { ...this.env, ...env }, ...(program === undefined ? {} : { program }) };
  }

  /** Another process of the service on the same log. */
  async startNode(env: Readonly<Record<string, string>> = {}, options: NodeOptions = {}): Promise<Service> {
    const node = await Service.start(this.nodeOptions(env, options));
    this.#started.push(node);
    return node;
  }

  /** What says where the log is, for a process of another kind. */
  abstract readonly env: Readonly<Record<string, string>>;

  /** Where a node keeps what is its own. */
  abstract place(node: number): { readonly dataDir: string };

  /** Opened beside processes that run, or that have run. */
  abstract openPorts(): Promise<OpenedPorts>;

  /** The bytes of the log and of the keys, by the names of what holds them. */
  abstract logAndKeys(): Promise<ReadonlyMap<string, Buffer>>;

  /** From now on nothing can be written to the log, and reads go on, until what it returns is called. */
  abstract refuseWrites(): Promise<() => Promise<void>>;

  /** Stops the processes that were started and removes everything. */
  async remove(): Promise<void> {
    await Promise.all(this.#started.map((node) => node.stop()));
    await this.closeStore();
    this.#scratch.remove();
  }

  protected abstract closeStore(): Promise<void>;
}

type OpenStore = () => Promise<StoreUnderTest>;

const GIVEN = process.env.ESDB_URL;

const SQLITE = ['SQLite', async () => new SqliteUnderTest()] as const;
const KURRENTDB = [GIVEN === undefined ? 'the double of KurrentDB' : 'KurrentDB', openKurrentDb] as const;

/** Both stores, for `describe.each`. With `ESDB_URL` set the second is that server, which has to be empty; otherwise its double. */
export const STORES: readonly (readonly [name: string, open: OpenStore])[] = [SQLITE, KURRENTDB];

/**
 * Stores that a test has to itself: they begin empty however often they are opened, and fail when they are told to. No
 * server of somebody else's is among them.
 */
export const OWN_STORES: typeof STORES = GIVEN === undefined ? STORES : [SQLITE];

class SqliteUnderTest extends StoreUnderTest {
  override readonly inFolder = true;
  override readonly env = {};

  override place() {
    return { dataDir: this.folder };
  }

  override async openPorts(): Promise<OpenedPorts> {
    const masterKey = MasterKey.parse(readFileSync(join(this.folder, 'master.key'), 'utf8').trim(), 'the test');
    const keys = SqliteKeyStore.open({ path: join(this.folder, 'keys.sqlite'), masterKey });
    const store = SqliteEventStore.open({ path: join(this.folder, 'events.sqlite') });
    return {
      store,
      keys,
      close: async () => {
        await store.close();
        await keys.close();
      },
    };
  }

  override async logAndKeys() {
    const files = filesIn(this.folder).filter((file) => /^(events|keys)\.sqlite(-wal)?$/.test(file));
    return new Map(files.map((file) => [file, readFileSync(join(this.folder, file))]));
  }

  override async refuseWrites() {
    const log = openDatabase(join(this.folder, 'events.sqlite'));
    log.exec('BEGIN IMMEDIATE');
    return async () => {
      log.exec('ROLLBACK');
      log.close();
    };
  }

  protected override async closeStore() {}
}

/** The master key is the same for all nodes, as on a cluster it has to be. */
const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');

async function openKurrentDb(): Promise<StoreUnderTest> {
  const double = GIVEN === undefined ? await EventStoreDouble.start() : null;
  const connectionString = GIVEN ?? double?.connectionString ?? '';
  const { description } = KurrentDbConnection.open(connectionString);
  process.stdout.write(`KurrentDB: ${double === null ? 'the server of ESDB_URL' : 'a double'}, ${description}\n`);
  return new KurrentDbUnderTest(connectionString, double);
}

/** Each node has a folder of its own for what follows the log. */
export class KurrentDbUnderTest extends StoreUnderTest {
  override readonly inFolder = false;
  override readonly env: Readonly<Record<string, string>>;

  constructor(
    private readonly connectionString: string,
    private readonly double: EventStoreDouble | null,
  ) {
    super();
    this.env = { HOLDPOINT_STORE: connectionString, HOLDPOINT_MASTER_KEY: MASTER_KEY };
  }

  override place(node: number) {
    return { dataDir: join(this.folder, `node-${node}`) };
  }

  override async openPorts(): Promise<OpenedPorts> {
    const connection = KurrentDbConnection.open(this.connectionString);
    const masterKey = MasterKey.parse(MASTER_KEY, 'the test');
    const keys = await KurrentDbKeyStore.open({ connection, masterKey });
    const store = new KurrentDbEventStore({ connection });
    return {
      store,
      keys,
      close: async () => {
        await keys.close();
        await store.close();
      },
    };
  }

  override async logAndKeys() {
    const connection = KurrentDbConnection.open(this.connectionString);
    const lines: string[] = [];
    for await (const { event } of connection.client.readAll(connection.callOptions)) {
      const { streamId, id, type, data, metadata } = event ?? {};
      lines.push(JSON.stringify([streamId, id, type, data, metadata]));
    }
    await connection.close();
    return new Map([['the log', Buffer.from(lines.join('\n'))]]);
  }

  override async refuseWrites() {
    if (this.double === null) throw new Error('a given server is not made to fail');
    const { double } = this;
    await double.breaks({ hang: ['append', 'delete'] });
    return () => double.heals();
  }

  protected override async closeStore() {
    await this.double?.stop();
  }
}
