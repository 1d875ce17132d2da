import { accepted, type Decision, rejected } from '../../events/decider.js';
import type { SignInLinkEventType } from '../../events/sign-in-events.js';
import type { SignInLinkState } from '../sign-in-link-record.js';

export interface UsedLink {
  readonly principalId: string;
}

/** A link works once: of two who use it at the same time, the append of the slower one finds it used. */
export function decideUseSignInLink(
  { issued, used }: SignInLinkState,
  { nowMs }: { readonly nowMs: number },
): Decision<SignInLinkEventType, UsedLink, { readonly code: 'link_unusable' }> {
  if (issued === null || used || Date.parse(issued.expiresAt) <= nowMs) return rejected({ code: 'link_unusable' });
  return accepted<SignInLinkEventType, UsedLink>([{ type: 'SignInLinkUsed', data: {} }], {
    principalId: issued.principalId,
  });
}
