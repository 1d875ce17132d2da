import type { Principal } from '../../src/governance/principal.js';

/* One principal of every kind that the rules of reach tell apart. */

function person(id: string, more: Partial<Principal> = {}): Principal {
  return { id, kind: 'person', enabled: true, admin: false, grants: [], scopes: [], oidcSubject: null, ...more };
}

function account(id: string, ...scopes: Principal['scopes']): Principal {
  return { ...person(id), kind: 'service_account', scopes };
}

export const olga = person('olga');
export const pete = person('pete');
export const ada = person('ada', { admin: true });
/** May answer everybody's runs. */
export const gina = person('gina', { grants: ['agent_approve'] });
export const dora = person('dora', { enabled: false, admin: true });
export const reader = account('reader', 'agent:read');
export const approver = account('approver', 'agent:approve');
export const starter = account('starter', 'agent:run');

export const EVERYBODY: readonly Principal[] = [olga, pete, ada, gina, dora, reader, approver, starter];
