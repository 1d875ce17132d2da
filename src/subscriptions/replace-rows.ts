import type { Database, SqlValue } from '../sqlite/database.js';
import { FeedProgress } from './feed-progress.js';

/**
 * Puts what one file of a consumer holds into the place of what another of the same schema does: its rows, its checkpoint
 * and what is parked. Part of a transaction of the second; whoever reads it sees all of the one or all of the other.
 *
 * The checkpoint may not go back: those who follow with it would never be given the events in between again.
 *
 * @throws {RangeError} the first file is behind the second.
 */
export function replaceRows(from: Database, to: Database, consumer: string): void {
  const position = new FeedProgress(from, consumer).checkpoint();
  if (position < new FeedProgress(to, consumer).checkpoint()) throw new RangeError(`${consumer} would go back`);
  for (const table of tablesOf(from)) copyTable(from, to, table);
  to.prepare('UPDATE feeds SET rebuilding = 0 WHERE consumer = ?').run(consumer);
}

function tablesOf(database: Database): string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  return database
    .prepare<{ name: string }>(sql)
    .all()
    .map(({ name }) => name);
}

function copyTable(from: Database, to: Database, table: string): void {
  to.exec(`DELETE FROM ${table}`);
  const rows = from.prepare<Record<string, SqlValue>>(`SELECT * FROM ${table}`, { bigints: true });
  const columns = from.prepare<{ name: string }>('SELECT name FROM pragma_table_info(?)').all(table);
  const insert = to.prepare(
    `INSERT INTO ${table} (${columns.map(({ name }) => name)}) VALUES (${columns.map(() => '?')})`,
  );
  for (const row of rows.iterate()) insert.run(...columns.map(({ name }) => row[name] as SqlValue));
}
