import type { Principal, Scope } from './principal.js';

/** What somebody wants of a run (SUB-1). */
export type RunAction = 'start' | 'read' | 'answer' | 'cancel';

/** As much of a run as reaching it depends on. */
export interface ReachableRun {
  readonly ownerId: string;
  /** Waits for a person at this moment. */
  readonly waiting: boolean;
}

const SCOPES_FOR: Record<RunAction, readonly Scope[]> = {
  start: ['agent:run'],
  // Who may answer may also read what waits; whether this very run can be reached is asked once it was looked up.
  read: ['agent:read', 'agent:approve'],
  answer: ['agent:approve'],
  cancel: ['agent:cancel'],
};

/** Whether a principal may make this kind of call at all: asked before any look-up, its "no" is a plain `forbidden`. */
export function mayAttempt(principal: Principal, action: RunAction): boolean {
  if (!principal.enabled) return false;
  if (principal.kind === 'person') return true;
  return SCOPES_FOR[action].some((scope) => principal.scopes.includes(scope));
}

/**
 * Whether a principal may reach this run: its "no" reads exactly like a run that does not exist. Reaching a run is not
 * yet permission to answer it (SUB-2).
 */
export function reaches(principal: Principal, action: Exclude<RunAction, 'start'>, run: ReachableRun): boolean {
  if (!mayAttempt(principal, action)) return false;
  if (principal.kind === 'service_account') return accountReaches(principal, action, run);
  if (principal.admin || principal.id === run.ownerId) return true;
  const mayAnswer = principal.grants.includes('agent_approve');
  return (action === 'answer' && mayAnswer) || (action === 'read' && mayAnswer && run.waiting);
}

/** For service accounts only scopes count, not what they own. */
function accountReaches(account: Principal, action: Exclude<RunAction, 'start'>, run: ReachableRun): boolean {
  if (action !== 'read') return true;
  return account.scopes.includes('agent:read') || (account.scopes.includes('agent:approve') && run.waiting);
}

/** Governance is for admins, and only people can be that. */
export function mayAdminister(principal: Principal): boolean {
  return principal.enabled && principal.kind === 'person' && principal.admin;
}

/** The pages are for people; service accounts call the interface. */
export function maySignIn(principal: Principal): boolean {
  return principal.enabled && principal.kind === 'person';
}
