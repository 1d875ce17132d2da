import { createHash } from 'node:crypto';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import { KEY_SCOPES, type KeyScope, KeyStore, keyId, type StreamKeys } from '../../src/event-store/key-store.js';

interface Entry {
  keys: StreamKeys;
  madeAt: number;
  used: boolean;
  swept: boolean;
}

/** The keys that stay when every process that used them is gone. */
export class MemoryKeys {
  readonly entries = new Map<string, Entry>();
  #made = 0;

  /** Keys that look random and are the same in every run of a simulation. */
  fresh(stream: string): StreamKeys {
    this.#made += 1;
    const secret = (scope: KeyScope) =>
      createHash('sha256')
        .update(`${this.#made} ${keyId(stream, scope)}`)
        .digest();
    return Object.fromEntries(KEY_SCOPES.map((scope) => [scope, { id: keyId(stream, scope), secret: secret(scope) }]));
  }
}

export interface MemoryKeyStoreOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Every wait of the store, before it looks at the keys; it may also reject with StoreUnavailable. */
  readonly pause?: () => Promise<void>;
}

/** One process's view of {@link MemoryKeys}, without timers. */
export class MemoryKeyStore extends KeyStore {
  readonly #now: () => number;
  readonly #pause: () => Promise<void>;
  #closed = false;

  constructor(
    readonly keys: MemoryKeys,
    { now, pause = () => Promise.resolve() }: MemoryKeyStoreOptions,
  ) {
    super();
    this.#now = now;
    this.#pause = pause;
  }

  override async create(stream: string): Promise<StreamKeys> {
    await this.#ready();
    const entry = this.keys.entries.get(stream);
    if (entry !== undefined && !entry.swept) {
      entry.madeAt = this.#now();
      return entry.keys;
    }
    const keys = this.keys.fresh(stream);
    this.keys.entries.set(stream, { keys, madeAt: this.#now(), used: false, swept: false });
    return keys;
  }

  override async find(stream: string): Promise<StreamKeys> {
    await this.#ready();
    return this.keys.entries.get(stream)?.keys ?? {};
  }

  override async destroy(stream: string, scope: KeyScope): Promise<void> {
    await this.#ready();
    const entry = this.keys.entries.get(stream);
    if (entry === undefined) return;
    const { [scope]: _destroyed, ...kept } = entry.keys;
    entry.keys = kept;
  }

  override async sweepOrphans(madeBefore: number, isUsed: (stream: string) => Promise<boolean>): Promise<number> {
    await this.#ready();
    let swept = 0;
    for (const [stream, entry] of this.keys.entries) {
      const candidate = () => !entry.used && !entry.swept && entry.madeAt < madeBefore;
      if (!candidate()) continue;
      entry.used = await isUsed(stream);
      if (!candidate()) continue;
      entry.swept = true;
      entry.keys = {};
      swept += 1;
    }
    return swept;
  }

  override async close(): Promise<void> {
    this.#closed = true;
  }

  async #ready(): Promise<void> {
    if (this.#closed) throw new StoreUnavailable('closed', false);
    await this.#pause();
  }
}
