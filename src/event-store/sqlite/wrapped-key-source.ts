import type { Database, Statement } from '../../sqlite/database.js';
import { KEY_SCOPES, type KeyScope } from '../key-store.js';
import type { MasterKey } from '../master-key.js';
import type { MasterKeys } from '../master-keys.js';
import type { ServicePurpose } from '../service-purposes.js';
import type { KeyRow } from './key-rows.js';
import { KEY_MIGRATIONS } from './key-schema.js';
import { openToRead } from './log-inspection.js';
import { markedKey } from './master-key-marks.js';
import { isDestroyed } from './unwrapping.js';

type Row = KeyRow & { readonly stream: string };

/** A key as it lies in the file, wrapped by the master key. */
export interface WrappedKey {
  readonly stream: string;
  readonly scope: KeyScope;
  /** Null where the key was destroyed. */
  readonly wrapped: Buffer | null;
}

/** Reads wrapped keys as they are; none of them is ever opened. */
export class WrappedKeySource {
  readonly #all: Statement<Row>;
  readonly #find: Statement<Row>;

  private constructor(
    private readonly database: Database,
    /** The one that wraps all of them. */
    readonly masterKey: MasterKey,
  ) {
    const columns = 'stream, working, outcome, used, swept';
    this.#all = database.prepare(`SELECT ${columns} FROM stream_keys ORDER BY number`);
    this.#find = database.prepare(`SELECT ${columns} FROM stream_keys WHERE stream = ?`);
  }

  /** @throws {MasterKeyUnusable} `wrong` @throws {SchemaUnknown} @throws {DatabaseUnavailable} */
  static open(path: string, masterKeys: MasterKeys): WrappedKeySource {
    const database = openToRead(path, KEY_MIGRATIONS);
    try {
      const mark = database.prepare<{ check_value: Uint8Array }>('SELECT check_value FROM master_key').get();
      return new WrappedKeySource(database, markedKey(mark?.check_value, masterKeys));
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Whether the change to another master key was begun and not finished. */
  isChanging(): boolean {
    return this.database.prepare('SELECT 1 FROM master_key_change').get() !== undefined;
  }

  /** Both keys of every stream that has or had some. Those of streams that never began and were swept are left out. */
  *keys(): Generator<WrappedKey> {
    for (const row of this.#all.iterate()) {
      if (row.swept === 0) for (const scope of KEY_SCOPES) yield wrappedIn(row, scope);
    }
  }

  /** Those of the whole service. A file that a service has opened has all of them. */
  serviceKeys(): ReadonlyMap<ServicePurpose, Buffer> {
    const sql = 'SELECT purpose, wrapped FROM service_keys';
    const rows = this.database.prepare<{ purpose: ServicePurpose; wrapped: Uint8Array }>(sql).all();
    return new Map(rows.map(({ purpose, wrapped }) => [purpose, Buffer.from(wrapped)]));
  }

  find(stream: string, scope: KeyScope): WrappedKey | undefined {
    const row = this.#find.get(stream);
    return row === undefined || row.swept === 1 ? undefined : wrappedIn(row, scope);
  }

  close(): void {
    this.database.close();
  }
}

function wrappedIn(row: Row, scope: KeyScope): WrappedKey {
  const wrapped = row[scope];
  return { stream: row.stream, scope, wrapped: isDestroyed(wrapped) ? null : Buffer.from(wrapped) };
}
