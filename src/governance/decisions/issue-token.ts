import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import { isUsable, type PrincipalState } from '../principal-record.js';

/** Usable tokens that a principal may have at once. */
export const MOST_TOKENS = 100;

/** Carries the hash alone: the token is made by whoever will tell it. */
export interface IssueToken {
  readonly tokenId: string;
  readonly name: string | null;
  readonly hash: string;
  /** RFC 3339 UTC with milliseconds; null: never. */
  readonly expiresAt: string | null;
}

export type IssueTokenRejection =
  | { readonly code: 'principal_not_found' }
  /** Another token has this id: whoever asked for it a second time was told the first. */
  | { readonly code: 'already_issued' }
  | { readonly code: 'expiry_in_the_past' }
  | { readonly code: 'too_many_tokens' };

export function decideIssueToken(
  state: PrincipalState,
  { tokenId, name, hash, expiresAt }: IssueToken,
  { nowMs }: { readonly nowMs: number },
): Decision<PrincipalEventType, object, IssueTokenRejection> {
  if (state.document === null) return rejected({ code: 'principal_not_found' });
  const known = state.tokens.get(tokenId);
  if (known?.hash === hash) return nothingToDo({});
  if (known !== undefined) return rejected({ code: 'already_issued' });
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return rejected({ code: 'expiry_in_the_past' });
  const usable = [...state.tokens.values()].filter((token) => isUsable(token, nowMs));
  if (usable.length >= MOST_TOKENS) return rejected({ code: 'too_many_tokens' });
  return accepted<PrincipalEventType, object>([{ type: 'TokenIssued', data: { tokenId, name, hash, expiresAt } }], {});
}
