import { retryWhileBusy } from '../../sqlite/busy.js';
import type { Database, Statement } from '../../sqlite/database.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { KEY_SCOPES, keyId } from '../key-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import { MasterKeys } from '../master-keys.js';
import type { WrappedKeys } from './key-rows.js';
import { KEY_MIGRATIONS } from './key-schema.js';
import { markMasterKey } from './master-key-marks.js';
import { rewrapServiceKeys, storeServiceKeys } from './service-keys.js';
import { inPortWords } from './unavailable.js';
import { isDestroyed } from './unwrapping.js';

/** Rows wrapped anew in one transaction: others who write wait some milliseconds at most. */
const PAGE = 200;

/** How long a transaction waits for the writes of a service that is busy, in milliseconds. */
const PATIENCE_MS = 30_000;

export interface MasterKeyChangeOptions {
  /** The key store's file; services may have it open. */
  readonly path: string;
  readonly inUse: MasterKey;
  readonly next: MasterKey;
  /** Told after each page. */
  readonly onProgress?: (rewrapped: number) => void;
}

export interface MasterKeyChanged {
  /** Streams whose keys were wrapped anew by this call. */
  readonly rewrapped: number;
  /** Streams with a key that neither master key unwraps. They are left as they are. */
  readonly damaged: readonly string[];
}

type Row = WrappedKeys & { readonly number: number; readonly stream: string };

/**
 * Wraps every key anew with the next master key, while services go on. What a page has done is remembered with it, so a
 * change that was killed is taken up where it stopped; when all rows are done, the mark of the next key takes the place
 * of the other's in one transaction. Rows keep their length, so no copy of one that was wrapped by the old key is left.
 *
 * @throws {StoreUnavailable} call it again.
 * @throws {MasterKeyUnusable} the key in use is not the file's.
 */
export function changeMasterKey(options: MasterKeyChangeOptions): Promise<MasterKeyChanged> {
  return inPortWords(async () => {
    const change = MasterKeyChange.open(options);
    try {
      return await change.run();
    } finally {
      change.close();
    }
  });
}

class MasterKeyChange {
  readonly #both: MasterKeys;
  readonly #page: Statement<Row>;
  readonly #update: Statement<unknown>;
  readonly #advance: Statement<unknown>;
  readonly #progress: Statement<{ readonly rewrapped: number }>;
  readonly #damaged: string[] = [];
  #rewrapped = 0;

  private constructor(
    private readonly database: Database,
    private readonly options: MasterKeyChangeOptions,
  ) {
    const { inUse, next } = options;
    this.#both = new MasterKeys(() => [inUse, next]);
    this.#page = database.prepare(
      `SELECT number, stream, working, outcome FROM stream_keys WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
    );
    this.#update = database.prepare('UPDATE stream_keys SET working = ?, outcome = ? WHERE number = ?');
    this.#advance = database.prepare('UPDATE master_key_change SET rewrapped = ?');
    this.#progress = database.prepare('SELECT rewrapped FROM master_key_change');
  }

  static open(options: MasterKeyChangeOptions): MasterKeyChange {
    const prepare = (database: Database) => {
      database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
      storeServiceKeys(database, markMasterKey(database, new MasterKeys(() => [options.inUse, options.next])));
    };
    return new MasterKeyChange(openDatabase(options.path, { migrations: KEY_MIGRATIONS, prepare }), options);
  }

  async run(): Promise<MasterKeyChanged> {
    if (!this.#isDone()) {
      await this.#inTransaction(() => this.#begin());
      while (await this.#inTransaction(() => this.#rewrapPage())) this.options.onProgress?.(this.#rewrapped);
    }
    // What the old key wrapped is still in the write-ahead log.
    await retryWhileBusy(() => {
      const truncated = this.database.prepare<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').get();
      if (truncated?.busy !== 0) throw new DatabaseUnavailable('busy', true);
    }, PATIENCE_MS);
    return { rewrapped: this.#rewrapped, damaged: this.#damaged };
  }

  close(): void {
    this.database.close();
  }

  #inTransaction<T>(work: () => T): Promise<T> {
    return retryWhileBusy(() => this.database.transaction(work), PATIENCE_MS);
  }

  /** @throws {MasterKeyUnusable} a change to another key is under way, whose rows only that key unwraps. */
  #begin(): void {
    const mark = this.options.next.checkValue;
    this.database.prepare('INSERT OR IGNORE INTO master_key_change VALUES (1, ?, 0)').run(mark);
    const begun = this.database.prepare<{ mark: Uint8Array }>('SELECT next_check_value AS mark FROM master_key_change');
    if (Buffer.compare(begun.get()?.mark ?? mark, mark) === 0) return;
    throw new MasterKeyUnusable(
      'wrong',
      'The master key is being changed to another key than this one. Finish that change with its own next key first.',
    );
  }

  /** True after a change that was killed when only the old key was still to be put away. */
  #isDone(): boolean {
    const mark = this.database.prepare<{ check_value: Uint8Array }>('SELECT check_value FROM master_key').get();
    return Buffer.compare(mark?.check_value ?? Buffer.alloc(0), this.options.next.checkValue) === 0;
  }

  /** @returns false when there was none left, and the change is over. */
  #rewrapPage(): boolean {
    const rows = this.#page.all(this.#progress.get()?.rewrapped ?? 0);
    const last = rows[rows.length - 1];
    if (last === undefined) {
      this.#finish();
      return false;
    }
    for (const row of rows) this.#rewrap(row);
    this.#advance.run(last.number);
    return true;
  }

  #rewrap({ number, stream, ...wrapped }: Row): void {
    try {
      const [working, outcome] = KEY_SCOPES.map((scope) => {
        const id = keyId(stream, scope);
        const old = wrapped[scope];
        return isDestroyed(old) ? old : this.options.next.wrap(this.#both.unwrap(old, id), id);
      }) as [Uint8Array, Uint8Array];
      this.#update.run(working, outcome, number);
      this.#rewrapped += 1;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      this.#damaged.push(stream);
    }
  }

  #finish(): void {
    rewrapServiceKeys(this.database, this.#both, this.options.next);
    this.database.prepare('UPDATE master_key SET check_value = ?').run(this.options.next.checkValue);
    this.database.exec('DELETE FROM master_key_change');
  }
}
