import { accepted, type Decision, nothingToDo } from '../../events/decider.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import type { PrincipalState } from '../principal-record.js';
import type { NewToken } from '../tokens.js';
import type { PrincipalDocument } from './put-principal.js';

const FIRST_ADMIN: PrincipalDocument = {
  kind: 'person',
  enabled: true,
  admin: true,
  grants: [],
  scopes: [],
  oidcSubject: null,
};

/**
 * The first administrator with a token, in one append, on a directory that has none yet. Of several processes that
 * start at once one founds the directory; the others, and every later start, change nothing.
 */
export function decideFoundDirectory(
  state: PrincipalState,
  { tokenId, hash }: Pick<NewToken, 'tokenId' | 'hash'>,
): Decision<PrincipalEventType, { readonly founded: boolean }, never> {
  if (state.document !== null) return nothingToDo({ founded: false });
  return accepted<PrincipalEventType, { founded: boolean }>(
    [
      { type: 'PrincipalPut', data: FIRST_ADMIN },
      { type: 'TokenIssued', data: { tokenId, name: 'first start', hash, expiresAt: null } },
    ],
    { founded: true },
  );
}
