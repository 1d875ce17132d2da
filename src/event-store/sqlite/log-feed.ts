import type { Database, Statement } from '../../sqlite/database.js';
import type { FeedBatch, StoredEvent } from '../event-store.js';
import { EVENT_COLUMNS, type EventRow, storedEvent } from './event-row.js';

/** A batch ends after so many events or characters, so that no batch is large and none holds the thread for long. */
const MAX_BATCH_EVENTS = 500;
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** How many positions one batch looks through when no index knows the prefixes. */
const SCAN_POSITIONS = 10_000n;

type Query = { readonly statement: Statement<EventRow>; readonly prefixes: readonly string[] };

/** Reads the log behind a position, in order, batch by batch, for one set of stream prefixes. */
export class LogFeed {
  readonly #head: () => bigint;
  readonly #query: Query;
  readonly #scans: boolean;

  constructor(database: Database, prefixes: readonly string[], head: () => bigint) {
    this.#head = head;
    this.#scans = !prefixes.every(isWholeKind);
    this.#query = this.#scans ? scanQuery(database, prefixes) : kindsQuery(database, [...new Set(prefixes)]);
  }

  /**
   * The next batch behind `after`. The end of the log is looked up first: what is committed between the two reads may
   * be delivered, and nothing below the position that is returned is missed.
   */
  next(after: bigint): FeedBatch {
    const head = this.#head();
    if (head <= after) return { events: [], position: after, caughtUp: true };
    const end = this.#scans && after + SCAN_POSITIONS < head ? after + SCAN_POSITIONS : head;
    const events: StoredEvent[] = [];
    let characters = 0;
    for (const row of this.#rows(after, end)) {
      events.push(storedEvent(row));
      characters += row.data.length + row.metadata.length;
      if (events.length === MAX_BATCH_EVENTS || characters > MAX_BATCH_CHARACTERS) {
        return { events, position: row.position, caughtUp: row.position >= head };
      }
    }
    return { events, position: end, caughtUp: end === head };
  }

  #rows(after: bigint, end: bigint): Iterable<EventRow> {
    const { statement, prefixes } = this.#query;
    return statement.iterate(after, end, ...prefixes);
  }
}

/** `run-`: what the index over stream kinds answers. */
function isWholeKind(prefix: string): boolean {
  return prefix.indexOf('-') === prefix.length - 1 && prefix !== '';
}

/** One arm for each kind; SQLite merges them in order of position without sorting, so the limit is met early. */
function kindsQuery(database: Database, kinds: readonly string[]): Query {
  const arm = (index: number) =>
    `SELECT ${EVENT_COLUMNS} FROM events WHERE kind = ?${index + 3} AND position > ?1 AND position <= ?2`;
  const arms = kinds.length === 0 ? [NO_EVENTS] : kinds.map((_, index) => arm(index));
  const sql = `${arms.join(' UNION ALL ')} ORDER BY position LIMIT ${MAX_BATCH_EVENTS}`;
  return { statement: database.prepare<EventRow>(sql, { bigints: true }), prefixes: kinds };
}

function scanQuery(database: Database, prefixes: readonly string[]): Query {
  const matches = prefixes.map((_, index) => `substr(stream, 1, length(?${index + 3})) = ?${index + 3}`);
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ?1 AND position <= ?2 AND (${matches.join(' OR ')})
    ORDER BY position LIMIT ${MAX_BATCH_EVENTS}`;
  return { statement: database.prepare<EventRow>(sql, { bigints: true }), prefixes };
}

const NO_EVENTS = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ?1 AND position <= ?2 AND false`;
