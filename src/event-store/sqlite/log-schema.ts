import type { Migrations } from '../../sqlite/migrations.js';

/**
 * The event log as a table. `AUTOINCREMENT` keeps a position from ever being given twice, also after a stream was
 * deleted, and SQLite's single writer makes the order of positions the order of commits: a reader that has seen a
 * position has seen all before it.
 *
 * `kind` is the stream's name up to and including its first hyphen (`run-`), the prefix by which feeds ask. There is no
 * unique index on event ids: it would halve the speed, and a repeated append is recognised at its revision.
 */
export const LOG_MIGRATIONS: Migrations = {
  applicationId: 0x48504c47, // "HPLG"
  steps: [
    `CREATE TABLE events (
       position INTEGER PRIMARY KEY AUTOINCREMENT,
       stream TEXT NOT NULL,
       revision INTEGER NOT NULL,
       id TEXT NOT NULL,
       type TEXT NOT NULL,
       data TEXT NOT NULL,
       metadata TEXT NOT NULL,
       kind TEXT NOT NULL GENERATED ALWAYS AS (substr(stream, 1, instr(stream, '-'))) VIRTUAL
     ) STRICT;
     CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
     CREATE INDEX events_by_kind ON events (kind, position);`,
  ],
};
