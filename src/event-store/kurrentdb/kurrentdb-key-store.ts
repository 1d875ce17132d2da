import { randomBytes } from 'node:crypto';
import { DamagedKey, StoreUnavailable } from '../errors.js';
import type { ExpectedRevision, NewEvent } from '../event-store.js';
import { type DataKey, KEY_SCOPES, type KeyScope, KeyStore, keyId, type StreamKeys } from '../key-store.js';
import { MasterKey } from '../master-key.js';
import { MasterKeys } from '../master-keys.js';
import type { ServicePurpose } from '../service-purposes.js';
import { KeyStreams, keptAt, keyKept, wrappedIn } from './key-streams.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { KurrentDbEventStore } from './kurrentdb-event-store.js';
import { appendUnlessOvertaken, keyToWrapWith, markMasterKey, marksOf } from './master-key-marks.js';
import { OrphanSweep } from './orphan-sweep.js';
import { loadServiceKeys, type ServiceKeys } from './service-keys.js';
import { removeForEver, removeUnchanged } from './stream-removal.js';
import { UnderWay } from './under-way.js';

const KEY_BYTES = 32;
const MAX_ATTEMPTS = 10;

export interface KurrentDbKeyStoreOptions {
  /** The process's connection; closing the key store leaves it open. */
  readonly connection: KurrentDbConnection;
  /** All that this process can get at, where it may be changed while the process runs. */
  readonly masterKey: MasterKey | MasterKeys;
  /** Epoch milliseconds; the system's clock by default. */
  readonly now?: () => number;
  /** Stands in front of the names of its streams, where several key stores share a log. Default none. */
  readonly prefix?: string;
  /** False: nothing is written while it is opened, so that a log without keys cannot be. Default true. */
  readonly mayBegin?: boolean;
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
  readonly #masterKeys: MasterKeys;
  readonly #now: () => number;
  readonly #streams: KeyStreams;
  readonly #underWay = new UnderWay();
  /** What keys are wrapped with, as far as this process knows. */
  #wrapping: MasterKey;
  #serviceKeys: ServiceKeys = new Map();

  private constructor({ connection, masterKey, now = Date.now, prefix = '' }: KurrentDbKeyStoreOptions) {
    super();
    this.#connection = connection;
    this.#log = new KurrentDbEventStore({ connection });
    this.#masterKeys = masterKey instanceof MasterKey ? MasterKeys.only(masterKey) : masterKey;
    this.#wrapping = this.#masterKeys.first;
    this.#now = now;
    this.#streams = new KeyStreams(prefix);
  }

  /**
   * @throws {StoreUnavailable}
   * @throws {MasterKeyUnusable} `wrong`: the keys were wrapped with another master key (SEA-4).
   */
  static async open(options: KurrentDbKeyStoreOptions): Promise<KurrentDbKeyStore> {
    const store = new KurrentDbKeyStore(options);
    await store.#begin(options.mayBegin ?? true);
    return store;
  }

  /**
   * A key for one purpose of the whole service, such as ids that are made from what a client sent: the same for ever, also
   * when the master key is changed.
   *
   * @throws {DamagedKey} it was removed by somebody else.
   */
  serviceKey(purpose: ServicePurpose): DataKey {
    const key = this.#serviceKeys.get(purpose);
    if (key === undefined) throw new DamagedKey(`master/${purpose}`, undefined);
    return key;
  }

  override create(stream: string): Promise<StreamKeys> {
    return this.#underWay.run(async () => {
      const [working, outcome] = await Promise.all([this.#made(stream, 'working'), this.#made(stream, 'outcome')]);
      await this.#keepUpWithMasterKey(stream);
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
      const fresh = this.#wrapping.wrap(randomBytes(KEY_BYTES), keyId(stream, scope));
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

  /**
   * Looks, behind the keys that were just made and before anything is sealed with them, whether the master key has been
   * changed meanwhile: then they are wrapped anew, or taken back where this process does not have the other master key.
   *
   * @throws {StoreUnavailable} the master key was changed, and this process was only given the old one.
   */
  async #keepUpWithMasterKey(stream: string): Promise<void> {
    const marks = await marksOf(this.#log, this.#streams);
    const key = marks && keyToWrapWith(marks, this.#masterKeys);
    if (key?.checkValue.equals(this.#wrapping.checkValue)) return;
    if (key !== undefined) this.#wrapping = key;
    for (const scope of KEY_SCOPES) await this.#wrapAnew(stream, scope, key);
    if (key === undefined) {
      throw new StoreUnavailable('the master key was changed; this process has the old one', false);
    }
  }

  /** @param masterKey undefined: the key is taken back, unless somebody else asked for it since. */
  async #wrapAnew(stream: string, scope: KeyScope, masterKey: MasterKey | undefined): Promise<void> {
    const keyStream = this.#streams.of(stream, scope);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const events = await this.#log.read(keyStream);
      const [wrapped, last] = [wrappedIn(events), events[events.length - 1]];
      if (wrapped === undefined || last === undefined) return;
      if (masterKey === undefined) {
        await removeUnchanged(this.#connection, keyStream, last.revision);
        return;
      }
      const { id, secret } = this.#unwrapped(stream, scope, wrapped);
      const again = keyKept(masterKey.wrap(secret, id), keptAt(last) ?? this.#now());
      if ((await this.#append(keyStream, last.revision, again)) !== 'overtaken') return;
    }
  }

  #append(keyStream: string, expected: ExpectedRevision, event: NewEvent) {
    return appendUnlessOvertaken(this.#log, keyStream, expected, [event]);
  }

  async #found(stream: string, scope: KeyScope): Promise<DataKey | undefined> {
    const wrapped = wrappedIn(await this.#log.read(this.#streams.of(stream, scope)));
    return wrapped === undefined ? undefined : this.#unwrapped(stream, scope, wrapped);
  }

  #unwrapped(stream: string, scope: KeyScope, wrapped: Buffer): DataKey {
    const id = keyId(stream, scope);
    try {
      return { id, secret: this.#masterKeys.unwrap(wrapped, id) };
    } catch (cause) {
      // The master key was checked at the start, so this event was written by somebody else.
      throw new DamagedKey(id, cause);
    }
  }

  async #begin(mayBegin: boolean): Promise<void> {
    const masterKeys = this.#masterKeys;
    const masterKey = await markMasterKey(this.#log, this.#streams, masterKeys, mayBegin);
    const marks = await marksOf(this.#log, this.#streams);
    this.#wrapping = (marks && keyToWrapWith(marks, masterKeys)) ?? masterKey;
    this.#serviceKeys = await loadServiceKeys(this.#log, this.#streams, { masterKey, masterKeys, mayBegin });
  }
}
