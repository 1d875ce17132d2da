import type { SqlValue } from '../../sqlite/database.js';
import type { RunFilter } from './run-selection.js';

export const RUN_COLUMNS = `started, run_id, status, revision, owner_id, configuration_id, iterations, input_tokens,
  output_tokens, created_at, updated_at, due_at, pause, settlement, working_erased, outcome_erased`;

export interface SqlQuery {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A filter's members in the order in which the names of the indexes have them. */
const FILTERED = [
  { member: 'ownerId', column: 'owner_id', inIndexName: 'owner' },
  { member: 'configurationId', column: 'configuration_id', inIndexName: 'configuration' },
  { member: 'status', column: 'status', inIndexName: 'status' },
] as const;

/**
 * The runs of a union of disjoint filters, newest first: each is read in order from the index that is named, and the
 * parts are merged, so that the limit is met without sorting.
 *
 * @param before position of a run's start; only runs started before it.
 */
export function runListQuery(selection: readonly RunFilter[], before: bigint, limit: number): SqlQuery {
  const parts = selection.map((filter) => filterQuery(filter, before));
  return {
    sql: `${parts.map((part) => part.sql).join(' UNION ALL ')} ORDER BY started DESC LIMIT ?`,
    parameters: [...parts.flatMap((part) => part.parameters), limit],
  };
}

function filterQuery(filter: RunFilter, before: bigint): SqlQuery {
  const given = FILTERED.filter(({ member }) => filter[member] !== undefined);
  const index = ['runs_by', ...given.map(({ inIndexName }) => inIndexName)].join('_');
  const conditions = [...given.map(({ column }) => `${column} = ?`), 'started < ?'];
  return {
    sql: `SELECT ${RUN_COLUMNS} FROM runs ${given.length === 0 ? 'NOT INDEXED' : `INDEXED BY ${index}`}
      WHERE ${conditions.join(' AND ')}`,
    parameters: [...given.map(({ member }) => filter[member] ?? null), before],
  };
}

/**
 * Waiting runs, longest waiting first.
 *
 * @param ownerId only this principal's; null: everybody's.
 * @param behind position of a pause event; only runs that wait since a later one.
 */
export function inboxQuery(ownerId: string | null, behind: bigint, limit: number): SqlQuery {
  const [index, condition, owner] =
    ownerId === null ? ['inbox', '', []] : ['inbox_by_owner', 'owner_id = ? AND', [ownerId]];
  return {
    sql: `SELECT ${RUN_COLUMNS} FROM runs INDEXED BY ${index} WHERE ${condition} waiting_since > ?
      ORDER BY waiting_since LIMIT ?`,
    parameters: [...owner, behind, limit],
  };
}

/** Queued runs, owner by owner. */
export const QUEUE_QUERIES = {
  ownAhead: `SELECT count(*) AS count FROM (SELECT 1 FROM runs INDEXED BY queue
    WHERE owner_id = ? AND due_at < ? LIMIT ?)`,
  queuedOf: `SELECT count(*) AS count FROM (SELECT 1 FROM runs INDEXED BY queue
    WHERE owner_id = ? AND due_at IS NOT NULL LIMIT ?)`,
  nextOwner: `SELECT owner_id FROM runs INDEXED BY queue
    WHERE owner_id > ? AND due_at IS NOT NULL ORDER BY owner_id LIMIT 1`,
} as const;
