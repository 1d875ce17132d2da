import { mayAdminister, mayAttempt, type RunAction, reaches } from '../../src/governance/access.js';
import { GRANTS, type Principal, SCOPES } from '../../src/governance/principal.js';

/** What a principal gets: a plain `forbidden` before any look-up, a run that does not exist, or the run. */
type Verdict = 'forbidden' | 'not_found' | 'yes';

const OWNER = 'olga';

function person(id: string, changed: Partial<Principal> = {}): Principal {
  return { id, kind: 'person', enabled: true, admin: false, grants: [], scopes: [], oidcSubject: null, ...changed };
}

function account(...scopes: Principal['scopes']): Principal {
  return { ...person('robot'), kind: 'service_account', scopes };
}

function verdict(principal: Principal, action: Exclude<RunAction, 'start'>, waiting: boolean): Verdict {
  if (!mayAttempt(principal, action)) return 'forbidden';
  return reaches(principal, action, { ownerId: OWNER, waiting }) ? 'yes' : 'not_found';
}

const F = 'forbidden' as const;
const N = 'not_found' as const;
const Y = 'yes' as const;

const everything = { admin: true, grants: GRANTS, scopes: SCOPES };

/** For each kind of principal: start; read a working and a waiting run; answer; cancel; administer. */
const TABLE: [string, Principal, 'yes' | 'forbidden', Verdict, Verdict, Verdict, Verdict, boolean][] = [
  ['an admin', person('root', { admin: true }), Y, Y, Y, Y, Y, true],
  ['the owner', person(OWNER), Y, Y, Y, Y, Y, false],
  ['a person with the grant', person('gina', { grants: ['agent_approve'] }), Y, N, Y, Y, N, false],
  ['another person', person('otto'), Y, N, N, N, N, false],
  ['a person with scopes alone', person('otto', { scopes: SCOPES }), Y, N, N, N, N, false],
  ['a disabled person', person('dora', { ...everything, enabled: false }), F, F, F, F, F, false],
  ['a disabled owner', person(OWNER, { enabled: false }), F, F, F, F, F, false],
  ['a service account without scopes', account(), F, F, F, F, F, false],
  ['a service account with agent:run', account('agent:run'), Y, F, F, F, F, false],
  ['a service account with agent:read', account('agent:read'), F, Y, Y, F, F, false],
  ['a service account with agent:approve', account('agent:approve'), F, N, Y, Y, F, false],
  ['a service account with agent:cancel', account('agent:cancel'), F, F, F, F, Y, false],
  ['a service account with every scope', account(...SCOPES), Y, Y, Y, Y, Y, false],
  [
    'a service account with all that people can have',
    { ...account(), admin: true, grants: GRANTS },
    F,
    F,
    F,
    F,
    F,
    false,
  ],
  ['a service account that owns the run', { ...account(), id: OWNER }, F, F, F, F, F, false],
  ['a disabled service account', { ...account(...SCOPES), enabled: false }, F, F, F, F, F, false],
];

describe('SUB-1 who may do what with a run', () => {
  it.each(TABLE)('%s', (_who, principal, start, readWorking, readWaiting, answer, cancel, administer) => {
    expect({
      start: mayAttempt(principal, 'start') ? 'yes' : 'forbidden',
      readWorking: verdict(principal, 'read', false),
      readWaiting: verdict(principal, 'read', true),
      answer: verdict(principal, 'answer', true),
      cancel: verdict(principal, 'cancel', false),
      administer: mayAdminister(principal),
    }).toEqual({ start, readWorking, readWaiting, answer, cancel, administer });
  });

  it('to answer or to cancel does not depend on whether the run waits at that moment', () => {
    for (const [, principal] of TABLE) {
      for (const action of ['answer', 'cancel'] as const) {
        expect(verdict(principal, action, true)).toBe(verdict(principal, action, false));
      }
    }
  });
});
