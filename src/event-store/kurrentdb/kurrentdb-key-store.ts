import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AppendRefused, RevisionConflict, StoreUnavailable } from '../errors.js';
import type { ExpectedRevision, NewEvent } from '../event-store.js';
import { type DataKey, type KeyScope, KeyStore, keyId, type StreamKeys } from '../key-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import { checkValueIn, KeyStreams, keyKept, masterKeyMarked, wrappedIn } from './key-streams.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { KurrentDbEventStore } from './kurrentdb-event-store.js';
import { OrphanSweep } from './orphan-sweep.js';
import { removeForEver } from './stream-removal.js';
import { UnderWay } from './under-way.js';

const KEY_BYTES = 32;
const MAX_ATTEMPTS = 10;

export interface KurrentDbKeyStoreOptions {
  /** The process's connection; closing the key store leaves it open. */
  readonly connection: KurrentDbConnection;
  readonly masterKey: MasterKey;
  /** Epoch milliseconds; the system's clock by default. */
  readonly now?: () => number;
  /** Stands in front of the names of its streams, where several key stores share a log. Default none. */
  readonly prefix?: string;
}

/**
 * Keys in streams of their own, wrapped by the master key. Destroying a key removes its stream for ever, which all nodes
 * see at once; what is left of it on the server's disk, still wrapped, goes when the server is scavenged.
 *
 * Nothing is remembered between calls: only the log knows whether another node has destroyed a key meanwhile, and a
 * read costs little beside the append that a key is asked for.
 */
export class KurrentDbKeyStore extends KeyStore {
  readonly #connection: KurrentDbConnection;
  readonly #log: KurrentDbEventStore;
  readonly #masterKey: MasterKey;
  readonly #now: () => number;
  readonly #streams: KeyStreams;
  readonly #underWay = new UnderWay();

  private constructor({ connection, masterKey, now = Date.now, prefix = '' }: KurrentDbKeyStoreOptions) {
    super();
    this.#connection = connection;
    this.#log = new KurrentDbEventStore({ connection });
    this.#masterKey = masterKey;
    this.#now = now;
    this.#streams = new KeyStreams(prefix);
  }

  /**
   * @throws {StoreUnavailable}
   * @throws {MasterKeyUnusable} `wrong`: the keys were wrapped with another master key (SEA-4).
   */
  static async open(options: KurrentDbKeyStoreOptions): Promise<KurrentDbKeyStore> {
    const store = new KurrentDbKeyStore(options);
    await store.#assertMasterKey();
    return store;
  }

  override create(stream: string): Promise<StreamKeys> {
    return this.#underWay.run(async () => {
      const [working, outcome] = await Promise.all([this.#made(stream, 'working'), this.#made(stream, 'outcome')]);
      return { ...(working && { working }), ...(outcome && { outcome }) };
    });
  }

  override find(stream: string): Promise<StreamKeys> {
    return this.#underWay.run(async () => {
      const [working, outcome] = await Promise.all([this.#found(stream, 'working'), this.#found(stream, 'outcome')]);
      return { ...(working && { working }), ...(outcome && { outcome }) };
    });
  }

  override destroy(stream: string, scope: KeyScope): Promise<void> {
    return this.#underWay.run(() => removeForEver(this.#connection, this.#streams.of(stream, scope)));
  }

  override sweepOrphans(madeBefore: number, isUsed: (stream: string) => Promise<boolean>): Promise<number> {
    const sweep = new OrphanSweep(this.#connection, this.#log, this.#streams, madeBefore, isUsed);
    return this.#underWay.run(() => sweep.run());
  }

  override close(): Promise<void> {
    return this.#underWay.close();
  }

  /** The key of a scope, made if there is none; undefined when it was destroyed. */
  async #made(stream: string, scope: KeyScope): Promise<DataKey | undefined> {
    const keyStream = this.#streams.of(stream, scope);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const fresh = this.#masterKey.wrap(randomBytes(KEY_BYTES), keyId(stream, scope));
      const told = await this.#append(keyStream, 'no_stream', keyKept(fresh, this.#now()));
      if (told === 'destroyed') return undefined;
      if (told === 'appended') return this.#unwrapped(stream, scope, fresh);
      const found = await this.#askedFor(stream, scope);
      if (found === 'destroyed') return undefined;
      if (found !== undefined) return found;
    }
    throw new StoreUnavailable(`the key ${keyId(stream, scope)} is written to too often`, false);
  }

  /**
   * A key that is there, marked as asked for, so that no sweep takes it from under a start that is under way; undefined
   * when a sweep was faster.
   */
  async #askedFor(stream: string, scope: KeyScope): Promise<DataKey | 'destroyed' | undefined> {
    const keyStream = this.#streams.of(stream, scope);
    const events = await this.#log.read(keyStream);
    const wrapped = wrappedIn(events);
    const last = events[events.length - 1];
    if (wrapped === undefined || last === undefined) return undefined;
    const told = await this.#append(keyStream, last.revision, keyKept(wrapped, this.#now()));
    if (told === 'appended') return this.#unwrapped(stream, scope, wrapped);
    // Somebody else asked for it just now, which does as well, or removed it.
    return told === 'overtaken' ? this.#found(stream, scope) : told;
  }

  async #append(
    keyStream: string,
    expected: ExpectedRevision,
    event: NewEvent,
  ): Promise<'appended' | 'overtaken' | 'destroyed'> {
    try {
      await this.#log.append(keyStream, expected, [event]);
      return 'appended';
    } catch (error) {
      if (error instanceof RevisionConflict) return 'overtaken';
      if (error instanceof AppendRefused && error.refusal === 'stream_removed') return 'destroyed';
      throw error;
    }
  }

  async #found(stream: string, scope: KeyScope): Promise<DataKey | undefined> {
    const wrapped = wrappedIn(await this.#log.read(this.#streams.of(stream, scope)));
    return wrapped === undefined ? undefined : this.#unwrapped(stream, scope, wrapped);
  }

  #unwrapped(stream: string, scope: KeyScope, wrapped: Buffer): DataKey {
    const id = keyId(stream, scope);
    try {
      return { id, secret: this.#masterKey.unwrap(wrapped, id) };
    } catch (cause) {
      // The master key was checked at the start, so this event was written by somebody else.
      throw new StoreUnavailable(`the stored key ${id} is damaged`, false, { cause });
    }
  }

  /** Leaves a mark of the first master key in the log, and refuses every other (SEA-4). */
  async #assertMasterKey(): Promise<void> {
    const { checkValue } = this.#masterKey;
    let [mark] = await this.#log.read(this.#streams.masterKey);
    if (mark === undefined) {
      await this.#append(this.#streams.masterKey, 'no_stream', masterKeyMarked(checkValue));
      [mark] = await this.#log.read(this.#streams.masterKey);
    }
    const marked = mark === undefined ? Buffer.alloc(0) : checkValueIn(mark);
    if (marked.length !== checkValue.length || !timingSafeEqual(marked, checkValue)) {
      throw new MasterKeyUnusable(
        'wrong',
        'The master key is not the one that the stored keys were wrapped with. Start with the key that belongs to this data.',
      );
    }
  }
}
