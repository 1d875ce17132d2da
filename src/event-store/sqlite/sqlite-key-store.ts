import { randomBytes } from 'node:crypto';
import { setImmediate as afterIo } from 'node:timers/promises';
import { retryWhileBusy } from '../../sqlite/busy.js';
import type { Database } from '../../sqlite/database.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { type DataKey, type KeyScope, KeyStore, keyId, type StreamKeys } from '../key-store.js';
import { MasterKey } from '../master-key.js';
import { MasterKeys } from '../master-keys.js';
import type { ServicePurpose } from '../service-purposes.js';
import { KeyRows } from './key-rows.js';
import { KEY_MIGRATIONS } from './key-schema.js';
import { MasterKeyMarks, markMasterKey } from './master-key-marks.js';
import { RecentKeys } from './recent-keys.js';
import { serviceKey, storeServiceKeys } from './service-keys.js';
import { asStoreError, inPortWords } from './unavailable.js';
import { unwrappedKeys } from './unwrapping.js';

const KEY_BYTES = 32;
const RECENT_STREAMS = 1_000;
const SWEEP_PAGE = 200;

export interface SqliteKeyStoreOptions {
  /** A file of its own, apart from the log's so that backups of the two are apart; made when there is none. */
  readonly path: string;
  /** All that this process can get at, where it may be changed while the process runs. */
  readonly masterKey: MasterKey | MasterKeys;
  /** Epoch milliseconds; the system's clock by default. */
  readonly now?: () => number;
}

/** Keys in one SQLite file, wrapped by the master key. Several processes of one machine may open it. */
export class SqliteKeyStore extends KeyStore {
  readonly #database: Database;
  readonly #masterKeys: MasterKeys;
  readonly #marks: MasterKeyMarks;
  readonly #now: () => number;
  readonly #writes: GroupCommit;
  readonly #rows: KeyRows;
  readonly #recent = new RecentKeys(RECENT_STREAMS);
  readonly #fileVersion: () => unknown;
  readonly #truncateLog: () => void;
  readonly #truncations = new Set<Promise<void>>();
  #nextTruncation: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(database: Database, masterKeys: MasterKeys, now: () => number) {
    super();
    this.#database = database;
    this.#masterKeys = masterKeys;
    this.#marks = new MasterKeyMarks(database, masterKeys);
    this.#now = now;
    this.#writes = new GroupCommit(database);
    this.#rows = new KeyRows(database);
    const version = database.prepare<{ data_version: number }>('PRAGMA data_version');
    this.#fileVersion = () => version.get()?.data_version;
    const truncate = database.prepare<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#truncateLog = () => {
      if (truncate.get()?.busy !== 0) throw new DatabaseUnavailable('busy', true);
    };
  }

  /**
   * @throws {StoreUnavailable} the file cannot be opened.
   * @throws {MasterKeyUnusable} `wrong`: the file was made with another master key (SEA-4).
   * @throws {SchemaUnknown} the file is no key store, or one of a newer version.
   */
  static open({ path, masterKey, now = Date.now }: SqliteKeyStoreOptions): SqliteKeyStore {
    const masterKeys = masterKey instanceof MasterKey ? MasterKeys.only(masterKey) : masterKey;
    const prepare = (database: Database) => {
      // What is overwritten or freed becomes zeros, and nothing of a key goes into a temporary file.
      database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
      storeServiceKeys(database, markMasterKey(database, masterKeys));
    };
    try {
      return new SqliteKeyStore(openDatabase(path, { migrations: KEY_MIGRATIONS, prepare }), masterKeys, now);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /**
   * A key for one purpose of the whole service, such as ids that are made from what a client sent: the same for ever, also
   * when the master key is changed.
   *
   * @throws {StoreUnavailable} it was changed by somebody else.
   */
  serviceKey(purpose: ServicePurpose): DataKey {
    return serviceKey(this.#database, this.#masterKeys, purpose);
  }

  override create(stream: string): Promise<StreamKeys> {
    return inPortWords(async () => {
      const row = await retryWhileBusy(() => this.#rows.find(stream));
      if (row?.used !== 1) {
        await this.#writes.write(() => this.#createNow(stream));
      }
      return retryWhileBusy(() => this.#current(stream));
    });
  }

  override find(stream: string): Promise<StreamKeys> {
    return inPortWords(() => retryWhileBusy(() => this.#current(stream)));
  }

  override destroy(stream: string, scope: KeyScope): Promise<void> {
    return inPortWords(async () => {
      await this.#writes.write(() => this.#rows.destroy(stream, scope));
      this.#recent.forget(stream);
      await this.#truncated();
    });
  }

  override sweepOrphans(madeBefore: number, isUsed: (stream: string) => Promise<boolean>): Promise<number> {
    return inPortWords(async () => {
      let swept = 0;
      for (;;) {
        const candidates = await retryWhileBusy(() => this.#rows.sweepCandidates(madeBefore, SWEEP_PAGE));
        if (candidates.length === 0) break;
        const used = new Set<string>();
        for (const stream of candidates) if (await isUsed(stream)) used.add(stream);
        swept += await this.#writes.write(() => this.#settleCandidates(candidates, used, madeBefore));
        for (const stream of candidates) this.#recent.forget(stream);
      }
      if (swept > 0) await this.#truncated();
      return swept;
    });
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writes.close();
    await Promise.allSettled(this.#truncations);
    this.#database.close();
  }

  #createNow(stream: string): void {
    const masterKey = this.#marks.toWrapWith();
    const fresh = (scope: KeyScope) => masterKey.wrap(randomBytes(KEY_BYTES), keyId(stream, scope));
    this.#rows.create(stream, this.#now(), { working: fresh('working'), outcome: fresh('outcome') });
  }

  #current(stream: string): StreamKeys {
    this.#recent.keepOnlyOf(this.#fileVersion());
    const recent = this.#recent.get(stream);
    if (recent !== undefined) return recent;
    const row = this.#rows.find(stream);
    if (row === undefined) return {};
    const keys = unwrappedKeys(this.#masterKeys, stream, row);
    this.#recent.set(stream, keys);
    return keys;
  }

  #settleCandidates(candidates: readonly string[], used: ReadonlySet<string>, madeBefore: number): number {
    let swept = 0;
    for (const stream of candidates) {
      if (used.has(stream)) this.#rows.markUsed(stream);
      else if (this.#rows.sweep(stream, madeBefore)) swept += 1;
    }
    return swept;
  }

  /**
   * Resolves when the write-ahead log, which still has the page with the destroyed key, was emptied. One truncation
   * serves all that were committed before it begins.
   */
  #truncated(): Promise<void> {
    if (this.#nextTruncation !== undefined) return this.#nextTruncation;
    const next = afterIo().then(() => {
      this.#nextTruncation = undefined;
      return retryWhileBusy(this.#truncateLog);
    });
    this.#nextTruncation = next;
    this.#truncations.add(next);
    const done = () => void this.#truncations.delete(next);
    next.then(done, done);
    return next;
  }
}
