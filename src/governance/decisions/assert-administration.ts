import { accepted, type Decision, rejected } from '../../events/decider.js';
import type { PrincipalEventType } from '../../events/governance-events.js';
import { mayAdminister } from '../access.js';
import { type PrincipalState, principalOf } from '../principal-record.js';

/** Recorded each time anew: an assertion from before says nothing to a change that was decided since. */
export function decideAssertAdministration(
  state: PrincipalState,
  { principalId, against }: { readonly principalId: string; readonly against: string },
): Decision<PrincipalEventType, object, { readonly code: 'not_administrator' }> {
  const principal = principalOf(principalId, state);
  if (principal === null || !mayAdminister(principal)) return rejected({ code: 'not_administrator' });
  return accepted<PrincipalEventType, object>([{ type: 'AdministrationAsserted', data: { against } }], {});
}
