import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder, by its path from there, sorted. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Files that hold what a database would still have to take in. */
export function unfinishedIn(folder: string): string[] {
  return filesIn(folder).filter((file) => /-(wal|journal)$/.test(file) && statSync(join(folder, file)).size > 0);
}
