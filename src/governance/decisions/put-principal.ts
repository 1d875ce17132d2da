import { type Decision, rejected } from '../../events/decider.js';
import type { Actor } from '../../events/event.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import { mayAdminister } from '../access.js';
import { decidePut, type Precondition, type PreconditionFailed, type PutReply } from '../documents.js';
import type { Principal } from '../principal.js';
import { type PrincipalState, principalOf } from '../principal-record.js';

/** A principal as an administrator writes it, whole. */
export type PrincipalDocument = Omit<Principal, 'id'>;

export interface PutPrincipal {
  readonly actor: Actor;
  readonly principalId: string;
  readonly document: PrincipalDocument;
  readonly precondition: Precondition;
}

export type PutPrincipalRejection =
  | PreconditionFailed
  | { readonly code: 'self_lockout' }
  /** Whoever puts it lost administration while they did. */
  | { readonly code: 'not_administrator' }
  | { readonly code: 'subject_taken' };

export interface PutPrincipalFacts {
  /** Somebody else has the subject that the document names. */
  readonly subjectTaken: boolean;
  /** Whoever takes administration from another one has asserted their own; true where none is taken. */
  readonly actorAdministers: boolean;
}

/**
 * Administrators cannot take administration from themselves. Each can be stripped only by another one, who has asserted
 * their own administration first, so that there is always somebody left who can mend what was put
 * (docs/adr/0073-an-administrator-asserts-it-first.md).
 */
export function decidePutPrincipal(
  state: PrincipalState,
  { actor, principalId, document, precondition }: PutPrincipal,
  { subjectTaken, actorAdministers }: PutPrincipalFacts,
): Decision<PrincipalEventType, PutReply, PutPrincipalRejection> {
  const takes = takesAdministration(state, principalId, document);
  if (takes && actor.kind === 'principal' && actor.id === principalId) return rejected({ code: 'self_lockout' });
  const put = { type: 'PrincipalPut', data: document } as const;
  const decision = decidePut<PrincipalEventType>(state.document, put, true, precondition);
  if (decision.outcome === 'rejected') return decision;
  if (!actorAdministers) return rejected({ code: 'not_administrator' });
  return subjectTaken ? rejected({ code: 'subject_taken' }) : decision;
}

/** Whether the principal is an administrator, and would be none with this document. */
export function takesAdministration(state: PrincipalState, principalId: string, document: PrincipalDocument): boolean {
  const before = principalOf(principalId, state);
  return before !== null && mayAdminister(before) && !mayAdminister({ ...document, id: principalId });
}
