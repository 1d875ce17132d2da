import type { DisposableKind } from '../subscriptions/disposable-database.js';
import { FEED_TABLES } from '../subscriptions/feed-progress.js';

/**
 * The file: the table of runs, the line of owners, and how far the table has got.
 *
 * A run has a row until it is settled, because only its first event names its owner. `due_at` is null while it waits for
 * a person. `noted_at` is the time of whatever made it due then: a clock that is behind it was set back since.
 *
 * `place` workers look at the run before this process does, from `places_from` on; 0 where nobody does, or no more.
 *
 * An owner of due runs has a `turn` in the line, the lowest first, or none yet; then `due_at` is at or before the time
 * at which the first of their runs is due.
 */
export const DUE_FILE: DisposableKind = {
  applicationId: 0x48504455, // "HPDU"
  revision: 3,
  schema: `${FEED_TABLES}
    CREATE TABLE due (
      run_id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL,
      due_at INTEGER,
      noted_at INTEGER NOT NULL,
      place INTEGER NOT NULL,
      places_from INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX due_by_time ON due (due_at, noted_at) WHERE due_at IS NOT NULL;
    CREATE INDEX due_by_owner ON due (owner_id, due_at, place, places_from) WHERE due_at IS NOT NULL;
    CREATE TABLE turns (
      owner_id TEXT PRIMARY KEY,
      due_at INTEGER NOT NULL,
      turn INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX turns_in_line ON turns (turn) WHERE turn IS NOT NULL;
    CREATE INDEX turns_to_come ON turns (due_at) WHERE turn IS NULL;`,
};

/** More than this many due runs are not counted: a count is read at every scrape. */
const MOST_COUNTED = 100_000;

/** Each is answered from the front of an index, however many runs there are. */
export const DUE_QUERIES = {
  next: 'SELECT run_id, due_at FROM due WHERE due_at IS NOT NULL ORDER BY due_at LIMIT ?',
  due: 'SELECT run_id, due_at FROM due WHERE due_at <= ? ORDER BY due_at LIMIT ?',
  count: `SELECT count(*) AS count FROM (SELECT 1 FROM due WHERE due_at <= ? LIMIT ${MOST_COUNTED})`,
  ofOwner:
    'SELECT run_id, due_at, place, places_from FROM due WHERE owner_id = ? AND due_at <= ? ORDER BY due_at LIMIT ?',
  nextOfOwner: 'SELECT due_at FROM due WHERE owner_id = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1',
  firstInLine: 'SELECT owner_id FROM turns WHERE turn IS NOT NULL ORDER BY turn LIMIT ?',
  lastTurn: 'SELECT turn FROM turns WHERE turn IS NOT NULL ORDER BY turn DESC LIMIT 1',
  toLineUp: 'SELECT owner_id FROM turns WHERE turn IS NULL AND due_at <= ? ORDER BY due_at LIMIT ?',
  fromALaterClock: 'SELECT run_id FROM due WHERE due_at > ? AND noted_at > ? LIMIT ?',
} as const;
