import type { SqlValue } from '../../sqlite/database.js';

/** Which entries are asked for; what is absent is not. Times are RFC 3339 UTC with milliseconds. */
export interface AuditFilter {
  readonly runId?: string;
  readonly actorId?: string;
  readonly kind?: string;
  /** Inclusive. */
  readonly from?: string;
  /** Exclusive. */
  readonly to?: string;
}

/** Where a page ends: the time and the place in the log of its last entry. */
export interface AuditPlace {
  readonly at: string;
  readonly position: bigint;
}

const BEFORE_EVERYTHING = '';
/** Sorts behind every digit. */
const BEHIND_EVERYTHING = '~';

/**
 * Entries newest first. Each set of filters reads in order from the index that is named, so that the limit is met
 * without sorting; what that index does not tell is looked at among the entries of one run alone.
 */
export function auditListQuery(
  { runId, actorId, kind, from = BEFORE_EVERYTHING, to = BEHIND_EVERYTHING }: AuditFilter,
  before: AuditPlace | undefined,
  limit: number,
): { readonly sql: string; readonly parameters: readonly SqlValue[] } {
  const given: [string, string][] = [];
  if (runId !== undefined) given.push(['run_id', runId]);
  if (actorId !== undefined) given.push(['actor_id', actorId]);
  if (kind !== undefined) given.push(['kind', kind]);
  const end = before ?? { at: BEHIND_EVERYTHING, position: 0n };
  const conditions = [...given.map(([column]) => `${column} = ?`), 'at >= ?', 'at < ?', '(at, position) < (?, ?)'];
  return {
    sql: `SELECT position, at, entry FROM audit INDEXED BY ${indexFor(runId, actorId, kind)}
      WHERE ${conditions.join(' AND ')} ORDER BY at DESC, position DESC LIMIT ?`,
    parameters: [...given.map(([, value]) => value), from, to, end.at, end.position, limit],
  };
}

function indexFor(runId: string | undefined, actorId: string | undefined, kind: string | undefined): string {
  if (runId !== undefined) return 'audit_by_run';
  if (actorId !== undefined) return kind === undefined ? 'audit_by_actor' : 'audit_by_actor_kind';
  return kind === undefined ? 'audit_by_time' : 'audit_by_kind';
}
