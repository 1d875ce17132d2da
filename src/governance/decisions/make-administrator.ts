import { accepted, type Decision, rejected } from '../../events/decider.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import type { PrincipalState } from '../principal-record.js';
import { decideIssueToken, type IssueToken, type IssueTokenRejection } from './issue-token.js';
import type { PrincipalDocument } from './put-principal.js';

const NEW_ADMINISTRATOR: PrincipalDocument = {
  kind: 'person',
  enabled: true,
  admin: true,
  grants: [],
  scopes: [],
  oidcSubject: null,
};

export type MakeAdministratorRejection = IssueTokenRejection | { readonly code: 'service_account' };

/**
 * Somebody whom nobody admits any more comes in as an administrator, by the word of whoever has the log: made, enabled or
 * raised as needed, and with a token, in one append. What else their record says stays.
 */
export function decideMakeAdministrator(
  state: PrincipalState,
  token: IssueToken,
  facts: { readonly nowMs: number },
): Decision<PrincipalEventType, { readonly changed: boolean }, MakeAdministratorRejection> {
  const before = state.document?.data ?? null;
  if (before?.kind === 'service_account') return rejected({ code: 'service_account' });
  const changed = before === null || !before.enabled || !before.admin;
  const issue = { type: 'TokenIssued', data: token } as const;
  if (before === null) {
    return accepted<PrincipalEventType, { changed: boolean }>(
      [{ type: 'PrincipalPut', data: NEW_ADMINISTRATOR }, issue],
      { changed },
    );
  }
  const issued = decideIssueToken(state, token, facts);
  if (issued.outcome === 'rejected') return issued;
  const put = { type: 'PrincipalPut', data: { ...before, enabled: true, admin: true } } as const;
  return accepted<PrincipalEventType, { changed: boolean }>(changed ? [put, issue] : [issue], { changed });
}
