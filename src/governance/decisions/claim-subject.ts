import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import type { SubjectEventType } from '../../events/sign-in-events.js';
import { type PrincipalState, principalOf } from '../principal-record.js';
import type { SubjectState } from '../subject-record.js';

export interface ClaimSubject {
  readonly principalId: string;
  /** Their record names the subject already. */
  readonly hasIt: boolean;
}

/** Whether whoever claimed the subject before has it, or has been made to decide anew before they can get it. */
export type EarlierClaim = 'none' | 'passed_on' | 'stands';

/**
 * Every attempt to give somebody a subject claims it anew. Two that run at the same time thereby see one another: each
 * appends its claim where it read the last one, so the slower one reads again.
 */
export function decideClaimSubject(
  state: SubjectState,
  { principalId, hasIt }: ClaimSubject,
  { earlier }: { readonly earlier: EarlierClaim },
): Decision<SubjectEventType, object, { readonly code: 'subject_taken' }> {
  if (earlier === 'stands') return rejected({ code: 'subject_taken' });
  if (hasIt && state.claimedBy === principalId) return nothingToDo({});
  return accepted<SubjectEventType, object>([{ type: 'SubjectClaimed', data: { principalId } }], {});
}

/** Takes the subject from somebody who claimed it and does not have it, so that they cannot get it unnoticed later. */
export function decidePassSubjectOn(
  state: PrincipalState,
  { subject, from, to }: { readonly subject: string; readonly from: string; readonly to: string },
): Decision<PrincipalEventType, object, { readonly code: 'subject_taken' }> {
  if (principalOf(from, state)?.oidcSubject === subject) return rejected({ code: 'subject_taken' });
  return accepted<PrincipalEventType, object>([{ type: 'SubjectYielded', data: { to } }], {});
}
