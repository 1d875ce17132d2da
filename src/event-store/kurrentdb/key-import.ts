import { AppendRefused, RevisionConflict } from '../errors.js';
import { KEY_SCOPES, type KeyScope } from '../key-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import { MasterKeys } from '../master-keys.js';
import { type ServicePurpose, serviceKeyId } from '../service-purposes.js';
import { KeyStreams, keyKept, serviceKeyKept, serviceKeysIn, wrappedIn } from './key-streams.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { KurrentDbEventStore } from './kurrentdb-event-store.js';
import { appendUnlessOvertaken, markMasterKey, marksOf } from './master-key-marks.js';
import { removeForEver } from './stream-removal.js';

/** A key that is in a cluster already. */
export interface KeyInCluster {
  /** The stream in which it is kept. */
  readonly keyStream: string;
  /** Whose key it is. */
  readonly stream: string;
  readonly scope: KeyScope;
  readonly wrapped: Buffer;
}

/** Brings keys that were wrapped elsewhere into a cluster, by the same master key and without opening any of them. */
export class KeyImport {
  readonly #streams = new KeyStreams('');
  readonly #log: KurrentDbEventStore;

  constructor(private readonly connection: KurrentDbConnection) {
    this.#log = new KurrentDbEventStore({ connection });
  }

  /**
   * Writes nothing, also where the cluster has no mark of a master key yet.
   *
   * @throws {MasterKeyUnusable} `wrong` @throws {StoreUnavailable}
   */
  async assertMasterKey(masterKey: MasterKey): Promise<void> {
    const marks = await marksOf(this.#log, this.#streams);
    if (marks === undefined || (marks.next === undefined && marks.inUse.equals(masterKey.checkValue))) return;
    throw new MasterKeyUnusable(
      'wrong',
      'The keys in the cluster are wrapped by another master key. Nothing was written.',
    );
  }

  /** Leaves the mark of the master key. @throws {MasterKeyUnusable} `wrong` @throws {StoreUnavailable} */
  async mark(masterKey: MasterKey): Promise<void> {
    await markMasterKey(this.#log, this.#streams, MasterKeys.only(masterKey), true);
  }

  /** The stream that has the keys of the whole service. */
  get serviceStream(): string {
    return this.#streams.service;
  }

  /** Whether the cluster has these keys of the whole service, or none yet. @throws {StoreUnavailable} */
  async mayHaveServiceKeys(wrapped: ReadonlyMap<ServicePurpose, Buffer>, masterKey: MasterKey): Promise<boolean> {
    const there = serviceKeysIn(await this.#log.read(this.#streams.service));
    return [...there].every(([purpose, other]) => {
      const own = wrapped.get(purpose);
      const secretIn = (bytes: Buffer) => masterKey.unwrap(bytes, serviceKeyId(purpose));
      return own !== undefined && secretIn(own).equals(secretIn(other));
    });
  }

  /** Keeps those of the whole service, unless they are there. @throws {StoreUnavailable} */
  async keepServiceKeys(wrapped: ReadonlyMap<ServicePurpose, Buffer>): Promise<void> {
    const events = [...wrapped].map(([purpose, bytes]) => serviceKeyKept(purpose, bytes));
    await appendUnlessOvertaken(this.#log, this.#streams.service, 'no_stream', events);
  }

  /** Every key in the cluster, as it was kept last. @throws {StoreUnavailable} */
  async *kept(): AsyncGenerator<KeyInCluster> {
    for (const scope of KEY_SCOPES) {
      const prefix = this.#streams.prefixOf(scope);
      const { signal } = new AbortController();
      for await (const { events, caughtUp } of this.#log.subscribe({ after: -1n, prefixes: [prefix], signal })) {
        for (const event of events) {
          const wrapped = wrappedIn([event]);
          const { stream: keyStream } = event;
          if (wrapped !== undefined) yield { keyStream, stream: keyStream.slice(prefix.length), scope, wrapped };
        }
        if (caughtUp) break;
      }
    }
  }

  /**
   * Keeps a key. It counts as asked for now, so that no sweep of orphans takes it before its stream is there.
   *
   * @returns false where another key stands there, or was destroyed there.
   * @throws {StoreUnavailable} repeating it is safe.
   */
  async keep(stream: string, scope: KeyScope, wrapped: Buffer): Promise<boolean> {
    const keyStream = this.#streams.of(stream, scope);
    try {
      await this.#log.append(keyStream, 'no_stream', [keyKept(wrapped, Date.now())]);
      return true;
    } catch (error) {
      if (error instanceof AppendRefused && error.refusal === 'stream_removed') return false;
      if (!(error instanceof RevisionConflict)) throw error;
      return wrappedIn(await this.#log.read(keyStream))?.equals(wrapped) ?? false;
    }
  }

  /** What was destroyed elsewhere is never made here. @throws {StoreUnavailable} repeating it is safe. */
  destroy(stream: string, scope: KeyScope): Promise<void> {
    return removeForEver(this.connection, this.#streams.of(stream, scope));
  }

  keyStreamOf(stream: string, scope: KeyScope): string {
    return this.#streams.of(stream, scope);
  }
}
