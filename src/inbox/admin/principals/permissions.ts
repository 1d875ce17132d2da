import type { Principal } from '../../../governance/principal.js';
import type { Catalogue } from '../../messages/en.js';

/** What counts of what somebody was given: people have no scopes, and service accounts nothing else. */
export function permissionsOf(
  { kind, admin, grants, scopes }: Pick<Principal, 'kind' | 'admin' | 'grants' | 'scopes'>,
  t: Catalogue,
): readonly string[] {
  const words = t.admin.principal;
  if (kind === 'service_account') return scopes;
  return [...(admin ? [words.admin] : []), ...grants.map((grant) => words.grantNames[grant])];
}
