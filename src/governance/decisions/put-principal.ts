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
  | { readonly code: 'subject_taken' };

export interface PutPrincipalFacts {
  /** Somebody else has the subject that the document names. */
  readonly subjectTaken: boolean;
}

/**
 * Administrators cannot take administration from themselves. Each can be stripped only by another one, so that there is
 * always somebody left who can mend what was put, without a count of administrators that several streams would have to share.
 */
export function decidePutPrincipal(
  state: PrincipalState,
  { actor, principalId, document, precondition }: PutPrincipal,
  { subjectTaken }: PutPrincipalFacts,
): Decision<PrincipalEventType, PutReply, PutPrincipalRejection> {
  const before = principalOf(principalId, state);
  const self = actor.kind === 'principal' && actor.id === principalId;
  if (self && before !== null && mayAdminister(before) && !mayAdminister({ ...document, id: principalId })) {
    return rejected({ code: 'self_lockout' });
  }
  const put = { type: 'PrincipalPut', data: document } as const;
  const decision = decidePut<PrincipalEventType>(state.document, put, true, precondition);
  return decision.outcome !== 'rejected' && subjectTaken ? rejected({ code: 'subject_taken' }) : decision;
}
