import { DATA_FILES } from '../config/data-files.js';
import { BEGINNING, type EventStore, type StoredEvent } from '../event-store/event-store.js';
import type { KeyStore, StreamKeys } from '../event-store/key-store.js';
import { LogInspection } from '../event-store/sqlite/log-inspection.js';
import { StoredKeys } from '../event-store/sqlite/stored-keys.js';
import { GOVERNANCE_STREAM_PREFIXES } from '../events/governance-events.js';
import { REFUSAL_STREAM_PREFIX } from '../events/refusal-events.js';
import { RUN_STREAM_PREFIX } from '../events/run-events.js';
import type { DataFolder } from './data-folder.js';
import { withLogAndKeys } from './log-ports.js';

/** A log and its keys as a verification reads them: all of it, and without a write. */
export interface InspectedLog {
  /** What is wrong with files as such; nothing where there are none. */
  faultsOfFiles(): string[];
  /** Every stream once. */
  streams(): Promise<Iterable<string>>;
  /** @throws {DatabaseUnavailable} `corrupt`: pages on which events of this stream are. @throws {StoreUnavailable} */
  events(stream: string): Promise<readonly StoredEvent[]>;
  /** The stream in which an event of this id was seen before; notes this one otherwise. */
  seenBefore(id: string, stream: string): string | undefined;
  /** @throws {DamagedKey} @throws {DatabaseUnavailable} `corrupt` @throws {StoreUnavailable} */
  keys(stream: string): Promise<StreamKeys>;
  head(): Promise<bigint>;
}

/** Opens log and keys to read them, wherever they are, for as long as the work takes. */
export async function withInspectedLog<T>(data: DataFolder, work: (log: InspectedLog) => Promise<T>): Promise<T> {
  if (data.server !== undefined) {
    return await withLogAndKeys(data, ({ store, keys }) => work(new LogOfServer(store, keys)));
  }
  const keys = StoredKeys.open(data.file('keys'), data.masterKeys());
  try {
    const log = LogInspection.open(data.file('log'));
    try {
      return await work(new LogOfFiles(log, keys));
    } finally {
      log.close();
    }
  } finally {
    keys.close();
  }
}

class LogOfFiles implements InspectedLog {
  constructor(
    private readonly log: LogInspection,
    private readonly stored: StoredKeys,
  ) {}

  faultsOfFiles(): string[] {
    return [
      ...this.log.faultsOfFile().map((detail) => `${DATA_FILES.log}: ${detail}`),
      ...this.stored.faultsOfFile().map((detail) => `${DATA_FILES.keys}: ${detail}`),
    ];
  }

  async streams(): Promise<Iterable<string>> {
    return this.log.streams();
  }

  async events(stream: string): Promise<readonly StoredEvent[]> {
    return this.log.events(stream);
  }

  seenBefore(id: string, stream: string): string | undefined {
    return this.log.seenBefore(id, stream);
  }

  async keys(stream: string): Promise<StreamKeys> {
    return this.stored.find(stream);
  }

  async head(): Promise<bigint> {
    return this.log.head();
  }
}

/** Through the ports: the feed of the whole log tells which streams there are, and each is then read by itself. */
class LogOfServer implements InspectedLog {
  readonly #seen = new Map<string, string>();

  constructor(
    private readonly store: EventStore,
    private readonly keyStore: KeyStore,
  ) {}

  /** What the server's files are like, the server's own tools tell. */
  faultsOfFiles(): string[] {
    return [];
  }

  async streams(): Promise<Iterable<string>> {
    const names = new Set<string>();
    const prefixes = [RUN_STREAM_PREFIX, REFUSAL_STREAM_PREFIX, ...GOVERNANCE_STREAM_PREFIXES];
    const { signal } = new AbortController();
    for await (const { events, caughtUp } of this.store.subscribe({ after: BEGINNING, prefixes, signal })) {
      for (const { stream } of events) names.add(stream);
      if (caughtUp) break;
    }
    return names;
  }

  events(stream: string): Promise<readonly StoredEvent[]> {
    return this.store.read(stream);
  }

  seenBefore(id: string, stream: string): string | undefined {
    const before = this.#seen.get(id);
    if (before === undefined) this.#seen.set(id, stream);
    return before;
  }

  keys(stream: string): Promise<StreamKeys> {
    return this.keyStore.find(stream);
  }

  head(): Promise<bigint> {
    return this.store.head();
  }
}
