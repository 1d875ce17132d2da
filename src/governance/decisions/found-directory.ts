import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
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

/** By what the first administrator comes in. */
export interface FirstCredentials {
  readonly token: Pick<NewToken, 'tokenId' | 'hash'> | null;
  readonly oidcSubject: string | null;
}

export type FoundDirectoryRejection = { readonly code: 'no_credentials' } | { readonly code: 'subject_taken' };

/**
 * The first administrator with a token or a subject, in one append, on a directory that has none yet. Of several processes
 * that start at once one founds the directory; the others, and every later start, change nothing.
 */
export function decideFoundDirectory(
  state: PrincipalState,
  { token, oidcSubject }: FirstCredentials,
  { subjectTaken }: { readonly subjectTaken: boolean },
): Decision<PrincipalEventType, { readonly founded: boolean }, FoundDirectoryRejection> {
  if (state.document !== null) return nothingToDo({ founded: false });
  if (token === null && oidcSubject === null) return rejected({ code: 'no_credentials' });
  if (subjectTaken) return rejected({ code: 'subject_taken' });
  const issued =
    token === null ? [] : [{ type: 'TokenIssued' as const, data: { ...token, name: 'first start', expiresAt: null } }];
  return accepted<PrincipalEventType, { founded: boolean }>(
    [{ type: 'PrincipalPut', data: { ...FIRST_ADMIN, oidcSubject } }, ...issued],
    { founded: true },
  );
}
