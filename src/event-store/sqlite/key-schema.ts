import type { Migrations } from '../../sqlite/migrations.js';
import { WRAPPED_BYTES } from '../master-key.js';

/**
 * Wrapped keys, laid out so that destroying one leaves no copy of it in the file. Rows are only ever added at the end,
 * where SQLite moves none of the older ones, and a key is destroyed by writing zeros of the same length over it, which
 * SQLite does in place. Rows that were moved or deleted would leave their bytes behind in the free space of pages.
 *
 * `used`: the stream is known to have events. `swept`: it had none, and its keys can be made anew.
 *
 * `master_key` has the mark of the master key in use. While that is being changed, `master_key_change` has the mark of
 * the next one and the number up to which rows are wrapped with it. Rows do not say which of the two wrapped them: a row
 * that grew would be moved. `service_keys` were derived from the first master key and outlive it.
 */
export const KEY_MIGRATIONS: Migrations = {
  applicationId: 0x48504b59, // "HPKY"
  steps: [
    `CREATE TABLE stream_keys (
       number INTEGER PRIMARY KEY,
       stream TEXT NOT NULL,
       made_at INTEGER NOT NULL,
       used INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)),
       swept INTEGER NOT NULL DEFAULT 0 CHECK (swept IN (0, 1)),
       working BLOB NOT NULL CHECK (length(working) = ${WRAPPED_BYTES}),
       outcome BLOB NOT NULL CHECK (length(outcome) = ${WRAPPED_BYTES})
     ) STRICT;
     CREATE UNIQUE INDEX stream_keys_by_stream ON stream_keys (stream);
     CREATE INDEX stream_keys_not_known_used ON stream_keys (made_at) WHERE used = 0 AND swept = 0;
     CREATE TABLE master_key (one INTEGER PRIMARY KEY CHECK (one = 1), check_value BLOB NOT NULL) STRICT;`,
    `CREATE TABLE master_key_change (
       one INTEGER PRIMARY KEY CHECK (one = 1),
       next_check_value BLOB NOT NULL,
       rewrapped INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE service_keys (
       purpose TEXT PRIMARY KEY,
       wrapped BLOB NOT NULL CHECK (length(wrapped) = ${WRAPPED_BYTES})
     ) STRICT;`,
  ],
};
