import type { JsonValue } from '../../events/json.js';
import { spendEffort } from './check-effort.js';

/**
 * A text that two JSON values share exactly when they are equal in the sense of JSON Schema: members in any order, `1` and
 * `1.0` the same. A plain comparison by name, so that members called `constructor` or `valueOf` are nothing special.
 *
 * Recursive: callers bound the depth first.
 */
export function jsonIdentity(value: JsonValue): string {
  spendEffort(1);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonIdentity).join(',')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonIdentity(member)}`);
  return `{${members.sort().join(',')}}`;
}
