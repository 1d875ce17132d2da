import { AppendRefused, RevisionConflict } from '../errors.js';
import { KEY_SCOPES, type KeyScope } from '../key-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import { checkValueIn, KeyStreams, keyKept, wrappedIn } from './key-streams.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { KurrentDbEventStore } from './kurrentdb-event-store.js';
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
    const [mark] = await this.#log.read(this.#streams.masterKey);
    if (mark === undefined || checkValueIn(mark).equals(masterKey.checkValue)) return;
    throw new MasterKeyUnusable(
      'wrong',
      'The keys in the cluster are wrapped by another master key. Nothing was written.',
    );
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
