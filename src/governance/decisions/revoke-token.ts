import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import type { Actor } from '../../events/event.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import { isUsable, type PrincipalState } from '../principal-record.js';

export interface RevokeToken {
  readonly actor: Actor;
  readonly principalId: string;
  readonly tokenId: string;
}

export type RevokeTokenRejection =
  | { readonly code: 'principal_not_found' }
  | { readonly code: 'token_not_found' }
  | { readonly code: 'self_lockout' };

/** Nobody revokes the only token that they can still come in with: whoever suspects it issues another one first. */
export function decideRevokeToken(
  state: PrincipalState,
  { actor, principalId, tokenId }: RevokeToken,
  { nowMs }: { readonly nowMs: number },
): Decision<PrincipalEventType, object, RevokeTokenRejection> {
  if (state.document === null) return rejected({ code: 'principal_not_found' });
  const token = state.tokens.get(tokenId);
  if (token === undefined) return rejected({ code: 'token_not_found' });
  if (token.revokedAt !== null) return nothingToDo({});
  const self = actor.kind === 'principal' && actor.id === principalId;
  const others = [...state.tokens.values()].filter((other) => other !== token && isUsable(other, nowMs));
  if (self && isUsable(token, nowMs) && others.length === 0) return rejected({ code: 'self_lockout' });
  return accepted<PrincipalEventType, object>([{ type: 'TokenRevoked', data: { tokenId } }], {});
}
