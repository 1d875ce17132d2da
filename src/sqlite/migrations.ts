import type { Database } from './database.js';
import { SchemaUnknown } from './errors.js';

export interface Migrations {
  /** Written into the file (`application_id`, 32 bits), so that one kind of file is never taken for another. */
  readonly applicationId: number;
  /** SQL scripts; the n-th leads from version n to n+1. One that was released is never changed. */
  readonly steps: readonly string[];
}

interface Pragma {
  readonly value: number;
}

/**
 * Applies the steps that the file has not seen yet, in one transaction, and records its version in `user_version`.
 *
 * @throws {SchemaUnknown} the file is of a newer version or of another kind.
 */
export function migrate(database: Database, { applicationId, steps }: Migrations): void {
  database.transaction(() => {
    const version = pragma(database, 'user_version');
    const kind = pragma(database, 'application_id');
    const foreign = version === 0 ? kind !== 0 || hasTables(database) : kind !== applicationId;
    if (foreign) throw new SchemaUnknown('the file is an SQLite database of another kind');
    if (version > steps.length) {
      throw new SchemaUnknown(`the file has schema version ${version}, and this Holdpoint knows ${steps.length}`);
    }
    if (version === steps.length) return;
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${steps.length}`);
  });
}

function pragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.prepare<Pragma>(`SELECT ${name} AS value FROM pragma_${name}`).get()?.value ?? 0;
}

function hasTables(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
