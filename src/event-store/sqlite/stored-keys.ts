import type { Database, Statement } from '../../sqlite/database.js';
import type { StreamKeys } from '../key-store.js';
import type { MasterKeys } from '../master-keys.js';
import type { WrappedKeys } from './key-rows.js';
import { KEY_MIGRATIONS } from './key-schema.js';
import { integrityFaults, openToRead } from './log-inspection.js';
import { markedKey } from './master-key-marks.js';
import { unwrappedKeys } from './unwrapping.js';

/** Reads the file of keys without a write, while services may go on with it. Remembers nothing. */
export class StoredKeys {
  readonly #find: Statement<WrappedKeys>;

  private constructor(
    private readonly database: Database,
    private readonly masterKeys: MasterKeys,
  ) {
    this.#find = database.prepare('SELECT working, outcome FROM stream_keys WHERE stream = ?');
  }

  /**
   * @throws {MasterKeyUnusable} `wrong`
   * @throws {SchemaUnknown} it is no file of keys, or one of a newer version. @throws {DatabaseUnavailable}
   */
  static open(path: string, masterKeys: MasterKeys): StoredKeys {
    const database = openToRead(path, KEY_MIGRATIONS);
    try {
      const mark = database.prepare<{ check_value: Uint8Array }>('SELECT check_value FROM master_key').get();
      markedKey(mark?.check_value, masterKeys);
      return new StoredKeys(database, masterKeys);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** What SQLite finds wrong with the file; nothing for a file that is sound. */
  faultsOfFile(): string[] {
    return integrityFaults(this.database);
  }

  /** @throws {StoreUnavailable} a key of the stream is damaged. @throws {DatabaseUnavailable} */
  find(stream: string): StreamKeys {
    const row = this.#find.get(stream);
    return row === undefined ? {} : unwrappedKeys(this.masterKeys, stream, row);
  }

  close(): void {
    this.database.close();
  }
}
