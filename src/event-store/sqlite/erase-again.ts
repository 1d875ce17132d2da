import { openDatabase } from '../../sqlite/open-database.js';
import { KEY_SCOPES, type KeyScope } from '../key-store.js';
import { KeyRows } from './key-rows.js';
import { KEY_MIGRATIONS } from './key-schema.js';
import { openToRead } from './log-inspection.js';
import { LOG_MIGRATIONS } from './log-schema.js';
import { isDestroyed } from './unwrapping.js';

export interface ErasedAgain {
  /** Keys that the log says are erased, and that were there. */
  readonly destroyed: number;
  /** Streams with events and without any row of keys: the keys are older than the log, and their content is lost. */
  readonly withoutKeys: readonly string[];
}

interface Erasure {
  readonly stream: string;
  readonly scope: string;
}

/**
 * Destroys in a file of keys what the log beside it says is erased (SEA-3). Both are copies that nobody has open.
 *
 * @throws {DatabaseUnavailable} @throws {SchemaUnknown}
 */
export function eraseAgain(logPath: string, keysPath: string): ErasedAgain {
  const log = openToRead(logPath, LOG_MIGRATIONS);
  const prepare = (database: { exec(sql: string): void }) =>
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
  const keys = openDatabase(keysPath, { migrations: KEY_MIGRATIONS, prepare });
  try {
    const rows = new KeyRows(keys);
    const erasures = log.prepare<Erasure>(
      "SELECT stream, data ->> '$.scope' AS scope FROM events WHERE type = 'RunContentErased'",
    );
    let destroyed = 0;
    keys.transaction(() => {
      for (const { stream, scope } of erasures.iterate()) {
        const found = rows.find(stream);
        if (!isScope(scope) || found === undefined || isDestroyed(found[scope])) continue;
        rows.destroy(stream, scope);
        destroyed += 1;
      }
    });
    keys.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const streams = log
      .prepare<{ stream: string }>("SELECT DISTINCT stream FROM events WHERE stream GLOB 'run-*'")
      .all();
    const withoutKeys = streams.map(({ stream }) => stream).filter((stream) => rows.find(stream) === undefined);
    return { destroyed, withoutKeys };
  } finally {
    keys.close();
    log.close();
  }
}

function isScope(scope: string): scope is KeyScope {
  return (KEY_SCOPES as readonly string[]).includes(scope);
}
