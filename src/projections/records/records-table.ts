import { StoreUnavailable } from '../../event-store/errors.js';
import type { Database, Statement } from '../../sqlite/database.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { openDisposable } from '../../subscriptions/disposable-database.js';
import { RECORDS_MODEL } from './records-file.js';
import { type ListedKind, type RecordsFilter, recordsListQuery } from './records-list-query.js';

/** A record as it is kept: the clear fields of its last document. */
export interface RecordRow {
  readonly id: string;
  /** When the document was put. */
  readonly updatedAt: string;
  readonly document: object;
}

interface StoredRecord {
  readonly id: string;
  readonly updated_at: string;
  readonly document: string;
}

/** The rows of governance records, and who uses which source. */
export class RecordsTable {
  readonly #put: Statement<unknown>;
  readonly #delete: Statement<unknown>;
  readonly #forgetUses: Statement<unknown>;
  readonly #use: Statement<unknown>;
  readonly #lists = new Map<string, Statement<StoredRecord>>();

  constructor(readonly database: Database) {
    this.#put = database.prepare(
      `INSERT INTO records (kind, id, updated_at, document) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, document = excluded.document`,
    );
    this.#delete = database.prepare('DELETE FROM records WHERE kind = ? AND id = ?');
    this.#forgetUses = database.prepare('DELETE FROM source_uses WHERE configuration_id = ?');
    this.#use = database.prepare(
      'INSERT INTO source_uses (source, configuration_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
    );
  }

  /** @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable} */
  static open(path: string): RecordsTable {
    return new RecordsTable(openDisposable(path, RECORDS_MODEL));
  }

  /** By id. @param behind an id, exclusive. @throws {StoreUnavailable} */
  list(kind: ListedKind, filter: RecordsFilter, behind: string | undefined, limit: number): RecordRow[] {
    const { sql, parameters } = recordsListQuery(kind, filter, behind, limit);
    try {
      return this.#list(sql)
        .all(...parameters)
        .map(({ id, updated_at, document }) => ({ id, updatedAt: updated_at, document: JSON.parse(document) }));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new StoreUnavailable(`the lists of records cannot be read: ${error.message}`, false, { cause: error });
    }
  }

  put(kind: ListedKind, { id, updatedAt, document }: RecordRow): void {
    this.#put.run(kind, id, updatedAt, JSON.stringify(document));
  }

  delete(kind: ListedKind, id: string): void {
    this.#delete.run(kind, id);
  }

  /** In place of what the configuration used before. @param sources `snippet:<id>` or `skill:<id>` */
  putUses(configurationId: string, sources: readonly string[]): void {
    this.#forgetUses.run(configurationId);
    for (const source of sources) this.#use.run(source, configurationId);
  }

  close(): void {
    this.database.close();
  }

  /** There are two. */
  #list(sql: string): Statement<StoredRecord> {
    const known = this.#lists.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare<StoredRecord>(sql);
    this.#lists.set(sql, statement);
    return statement;
  }
}
