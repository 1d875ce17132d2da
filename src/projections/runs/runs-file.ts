import type { DisposableKind } from '../../subscriptions/disposable-database.js';
import { FEED_TABLES } from '../../subscriptions/feed-progress.js';

/**
 * The file of the read models.
 *
 * `started` is the position of a run's first event, so that every index ends in it and lists newest first without
 * sorting. `waiting_since` is the position of the pause event while the run waits, else null. There is an index for each
 * set of filters: no page costs more among a million runs than among a hundred.
 */
export const READ_MODELS: DisposableKind = {
  applicationId: 0x4850524d, // "HPRM"
  revision: 2,
  schema: `${FEED_TABLES}
    CREATE TABLE runs (
      started INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL,
      revision INTEGER NOT NULL,
      owner_id TEXT NOT NULL,
      configuration_id TEXT NOT NULL,
      iterations INTEGER NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      waiting_since INTEGER,
      due_at TEXT,
      pause TEXT,
      settlement TEXT,
      working_erased INTEGER NOT NULL,
      outcome_erased INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_status ON runs (status);
    CREATE INDEX runs_by_owner ON runs (owner_id);
    CREATE INDEX runs_by_configuration ON runs (configuration_id);
    CREATE INDEX runs_by_owner_status ON runs (owner_id, status);
    CREATE INDEX runs_by_configuration_status ON runs (configuration_id, status);
    CREATE INDEX runs_by_owner_configuration ON runs (owner_id, configuration_id);
    CREATE INDEX runs_by_owner_configuration_status ON runs (owner_id, configuration_id, status);
    CREATE INDEX queue ON runs (owner_id, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX inbox ON runs (waiting_since) WHERE waiting_since IS NOT NULL;
    CREATE INDEX inbox_by_owner ON runs (owner_id, waiting_since) WHERE waiting_since IS NOT NULL;`,
};
