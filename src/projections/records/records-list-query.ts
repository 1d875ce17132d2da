import type { SqlValue } from '../../sqlite/database.js';

/** The kinds of governance record that there can be many of. Tools are listed by whoever registers them. */
export type ListedKind = 'configuration' | 'snippet' | 'skill' | 'principal';

export interface RecordsFilter {
  /** Of configurations: only those that name this source, `snippet:<id>` or `skill:<id>`. */
  readonly source?: string;
}

const BEFORE_EVERYTHING = '';

/** Records of one kind by id. @param behind an id, exclusive */
export function recordsListQuery(
  kind: ListedKind,
  { source }: RecordsFilter,
  behind: string | undefined,
  limit: number,
): { readonly sql: string; readonly parameters: readonly SqlValue[] } {
  const after = behind ?? BEFORE_EVERYTHING;
  if (source === undefined) {
    return {
      sql: 'SELECT id, updated_at, document FROM records WHERE kind = ? AND id > ? ORDER BY id LIMIT ?',
      parameters: [kind, after, limit],
    };
  }
  return {
    sql: `SELECT records.id, records.updated_at, records.document FROM source_uses
      CROSS JOIN records ON records.kind = ? AND records.id = source_uses.configuration_id
      WHERE source_uses.source = ? AND source_uses.configuration_id > ? ORDER BY source_uses.configuration_id LIMIT ?`,
    parameters: [kind, source, after, limit],
  };
}
