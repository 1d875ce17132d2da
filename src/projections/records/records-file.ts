import type { DisposableKind } from '../../subscriptions/disposable-database.js';
import { FEED_TABLES } from '../../subscriptions/feed-progress.js';

/**
 * The file of the lists of governance records: what of each decides, as its last document says it, and which sources the
 * configurations name. Names and texts of sources, system prompts and scripted turns are sealed and stay in the log.
 *
 * Both tables are read in the order of their keys, so that a page costs its own rows however many records there are.
 */
export const RECORDS_MODEL: DisposableKind = {
  applicationId: 0x48505243, // "HPRC"
  revision: 1,
  schema: `${FEED_TABLES}
    CREATE TABLE records (
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      document TEXT NOT NULL,
      PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE source_uses (
      source TEXT NOT NULL,
      configuration_id TEXT NOT NULL,
      PRIMARY KEY (source, configuration_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX source_uses_by_configuration ON source_uses (configuration_id);`,
};
