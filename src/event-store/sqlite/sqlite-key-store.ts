import { randomBytes, timingSafeEqual } from 'node:crypto';
import { setImmediate as afterIo } from 'node:timers/promises';
import { retryWhileBusy } from '../../sqlite/busy.js';
import type { Database } from '../../sqlite/database.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { StoreUnavailable } from '../errors.js';
import { type DataKey, type KeyScope, KeyStore, keyId, type StreamKeys } from '../key-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import { DESTROYED, KeyRows, type WrappedKeys } from './key-rows.js';
import { KEY_MIGRATIONS } from './key-schema.js';
import { RecentKeys } from './recent-keys.js';
import { asStoreError, inPortWords } from './unavailable.js';

const KEY_BYTES = 32;
const RECENT_STREAMS = 1_000;
const SWEEP_PAGE = 200;

export interface SqliteKeyStoreOptions {
  /** A file of its own, apart from the log's so that backups of the two are apart; made when there is none. */
  readonly path: string;
  readonly masterKey: MasterKey;
  /** Epoch milliseconds; the system's clock by default. */
  readonly now?: () => number;
}

/** Keys in one SQLite file, wrapped by the master key. Several processes of one machine may open it. */
export class SqliteKeyStore extends KeyStore {
  readonly #database: Database;
  readonly #masterKey: MasterKey;
  readonly #now: () => number;
  readonly #writes: GroupCommit;
  readonly #rows: KeyRows;
  readonly #recent = new RecentKeys(RECENT_STREAMS);
  readonly #fileVersion: () => unknown;
  readonly #truncateLog: () => void;
  readonly #truncations = new Set<Promise<void>>();
  #nextTruncation: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(database: Database, masterKey: MasterKey, now: () => number) {
    super();
    this.#database = database;
    this.#masterKey = masterKey;
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
    const prepare = (database: Database) => {
      // What is overwritten or freed becomes zeros, and nothing of a key goes into a temporary file.
      database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
      assertMasterKey(database, masterKey);
    };
    try {
      return new SqliteKeyStore(openDatabase(path, { migrations: KEY_MIGRATIONS, prepare }), masterKey, now);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  override create(stream: string): Promise<StreamKeys> {
    return inPortWords(async () => {
      const row = await retryWhileBusy(() => this.#rows.find(stream));
      if (row?.used !== 1) {
        const fresh: WrappedKeys = {
          working: this.#freshKey(stream, 'working'),
          outcome: this.#freshKey(stream, 'outcome'),
        };
        await this.#writes.write(() => this.#rows.create(stream, this.#now(), fresh));
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

  #freshKey(stream: string, scope: KeyScope): Buffer {
    return this.#masterKey.wrap(randomBytes(KEY_BYTES), keyId(stream, scope));
  }

  #current(stream: string): StreamKeys {
    this.#recent.keepOnlyOf(this.#fileVersion());
    const recent = this.#recent.get(stream);
    if (recent !== undefined) return recent;
    const row = this.#rows.find(stream);
    if (row === undefined) return {};
    const working = this.#unwrapped(stream, 'working', row);
    const outcome = this.#unwrapped(stream, 'outcome', row);
    const keys: StreamKeys = { ...(working && { working }), ...(outcome && { outcome }) };
    this.#recent.set(stream, keys);
    return keys;
  }

  #unwrapped(stream: string, scope: KeyScope, wrapped: WrappedKeys): DataKey | undefined {
    if (Buffer.compare(wrapped[scope], DESTROYED) === 0) return undefined;
    const id = keyId(stream, scope);
    try {
      return { id, secret: this.#masterKey.unwrap(wrapped[scope], id) };
    } catch (cause) {
      // The master key was checked at the start, so this row was changed by somebody else.
      throw new StoreUnavailable(`the stored key ${id} is damaged`, false, { cause });
    }
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

/** Leaves a mark of the first master key in the file, and refuses every other (SEA-4). */
function assertMasterKey(database: Database, masterKey: MasterKey): void {
  const mark = database.transaction(() => {
    database.prepare('INSERT OR IGNORE INTO master_key VALUES (1, ?)').run(masterKey.checkValue);
    return database.prepare<{ check_value: Uint8Array }>('SELECT check_value FROM master_key').get()?.check_value;
  });
  if (mark?.length !== masterKey.checkValue.length || !timingSafeEqual(mark, masterKey.checkValue)) {
    throw new MasterKeyUnusable(
      'wrong',
      'The master key is not the one that the stored keys were wrapped with. Start with the key that belongs to this data.',
    );
  }
}
