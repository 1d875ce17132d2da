import type { DisposableKind } from '../../subscriptions/disposable-database.js';
import { FEED_TABLES } from '../../subscriptions/feed-progress.js';

/**
 * The file of the audit.
 *
 * `position` is that of the event, so that every index ends in it: entries come newest first, by time and then by place
 * in the log, without sorting. A run's own entries are few; for any other filter there is an index of its own.
 *
 * `turns` keeps the calls of every turn that somebody was asked about; `latest_turns` those of the latest model answer
 * of each run that is not settled, and the digest once it waits with them.
 */
export const AUDIT_MODEL: DisposableKind = {
  applicationId: 0x48504155, // "HPAU"
  revision: 1,
  schema: `${FEED_TABLES}
    CREATE TABLE audit (
      position INTEGER PRIMARY KEY,
      stream TEXT NOT NULL,
      at TEXT NOT NULL,
      kind TEXT NOT NULL,
      actor_id TEXT NOT NULL,
      run_id TEXT,
      entry TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_by_time ON audit (at);
    CREATE INDEX audit_by_kind ON audit (kind, at);
    CREATE INDEX audit_by_actor ON audit (actor_id, at);
    CREATE INDEX audit_by_actor_kind ON audit (actor_id, kind, at);
    CREATE INDEX audit_by_run ON audit (run_id, at) WHERE run_id IS NOT NULL;
    CREATE TABLE turns (
      run_id TEXT NOT NULL,
      turn_digest TEXT NOT NULL,
      calls TEXT NOT NULL,
      PRIMARY KEY (run_id, turn_digest)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE latest_turns (
      run_id TEXT PRIMARY KEY,
      turn_digest TEXT,
      calls TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;`,
};
