import { closeSync, openSync } from 'node:fs';
import { openDatabase } from './open-database.js';

/**
 * Copies a database into a new file, as it is at one moment, while others go on with it. What was deleted or overwritten
 * is not copied, and the copy is one file, readable by its owner only.
 *
 * @throws {DatabaseUnavailable}
 */
export function copyDatabase(from: string, to: string): void {
  closeSync(openSync(to, 'wx', 0o600));
  const database = openDatabase(from, { readOnly: true });
  try {
    // Nothing of it goes into a temporary file.
    database.exec('PRAGMA temp_store = MEMORY');
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}
