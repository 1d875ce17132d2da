import fc from 'fast-check';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { mayAdminister } from '../../src/governance/access.js';
import type { PrincipalDocument } from '../../src/governance/decisions/put-principal.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import type { Principal } from '../../src/governance/principal.js';
import { GovernanceDesk, type Remains, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';
import { CALM, type FaultPlan } from '../support/memory-event-store.js';

const ADMINISTRATORS = ['olga', 'pete', 'gina'] as const;
const STRIPPED: readonly PrincipalDocument[] = [
  aPrincipal({ admin: true, enabled: false }),
  aPrincipal({ admin: false }),
  aPrincipal({ admin: true, kind: 'service_account' }),
];
const TOO_LATE = { outcome: 'rejected', rejection: { code: 'not_administrator' } };

async function threeAdministrators(): Promise<GovernanceDesk> {
  const desk = new GovernanceDesk(remains());
  for (const id of ADMINISTRATORS) await put(desk, ROOT.id, id, aPrincipal({ admin: true }));
  return desk;
}

function put(desk: GovernanceDesk, by: string, id: string, document: PrincipalDocument) {
  return desk.execute(new PutPrincipal({ kind: 'principal', id: by }, id, document, NO_PRECONDITION, 'c'));
}

/** Fails at the first moment at which nobody is an administrator. */
function expectSomebodyToAdminister({ log }: Remains): void {
  const people = new Map<string, Principal>();
  for (const { type, stream, data } of log.events) {
    if (type !== 'PrincipalPut') continue;
    people.set(stream, { ...JSON.parse(data), id: stream });
    expect([...people.values()].some(mayAdminister)).toBe(true);
  }
}

describe('administrators who take administration from each other', () => {
  it('leave one of two, however both come at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.constantFrom(...STRIPPED),
        fc.constantFrom(...STRIPPED),
        async (scheduler, one, other) => {
          const { remains: shared } = await threeAdministrators();
          await put(new GovernanceDesk(shared), 'olga', 'gina', aPrincipal());
          const plan: FaultPlan = { ...CALM, pause: (point) => scheduler.schedule(Promise.resolve(), point) };
          const work = Promise.all([
            put(new GovernanceDesk(shared, plan), 'olga', 'pete', one),
            put(new GovernanceDesk(shared, plan), 'pete', 'olga', other),
          ]);
          const results = await scheduler.waitFor(work);
          expect(results).toContainEqual(TOO_LATE);
          expect(results).toContainEqual(expect.objectContaining({ outcome: 'accepted' }));
          expectSomebodyToAdminister(shared);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('leave one of many, in a circle too and while administration is given back', async () => {
    const change = fc.record({
      by: fc.constantFrom(...ADMINISTRATORS),
      id: fc.constantFrom(...ADMINISTRATORS),
      document: fc.constantFrom(...STRIPPED, ...STRIPPED, aPrincipal({ admin: true })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
        async (scheduler, processes) => {
          const { remains: shared } = await threeAdministrators();
          const plan: FaultPlan = { ...CALM, pause: (point) => scheduler.schedule(Promise.resolve(), point) };
          const work = processes.map(async (changes) => {
            const desk = new GovernanceDesk(shared, plan);
            for (const { by, id, document } of changes) await put(desk, by, id, document);
          });
          await scheduler.waitFor(Promise.all(work));
          expectSomebodyToAdminister(shared);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('change nothing once they are none themselves, and leave no trace of it', async () => {
    const desk = await threeAdministrators();
    await put(desk, 'olga', 'pete', aPrincipal({ admin: true, enabled: false }));
    const written = desk.remains.log.events.length;
    expect(await put(desk, 'pete', 'olga', aPrincipal())).toEqual(TOO_LATE);
    expect(await put(desk, 'nobody', 'olga', aPrincipal())).toEqual(TOO_LATE);
    expect(desk.remains.log.events).toHaveLength(written);
  });

  it('take no administration, and keep their own, where the process ends between assertion and record', async () => {
    const desk = await threeAdministrators();
    const dying = new GovernanceDesk(desk.remains, {
      ...CALM,
      appendFate: (stream) => {
        if (stream === 'principal-pete') throw new Error('the process ended');
        return 'commit';
      },
    });
    await expect(put(dying, 'olga', 'pete', aPrincipal())).rejects.toThrow('the process ended');
    expect(await desk.principals.find('pete')).toMatchObject({ admin: true });
    expect(await put(desk, 'pete', 'olga', aPrincipal())).toMatchObject({ outcome: 'accepted' });
    expect(await put(desk, 'olga', 'pete', aPrincipal())).toEqual(TOO_LATE);
  });

  it('assert nothing for a change that takes no administration or is refused anyway', async () => {
    const desk = await threeAdministrators();
    const stale = { kind: 'is_one_of', revisions: [7] } as const;
    await desk.execute(new PutPrincipal({ kind: 'principal', id: 'olga' }, 'pete', aPrincipal(), stale, 'c'));
    await put(desk, 'olga', 'pete', aPrincipal({ admin: true, grants: ['agent_approve'] }));
    await put(desk, 'olga', 'new', aPrincipal());
    expect(desk.remains.log.events.filter(({ type }) => type === 'AdministrationAsserted')).toEqual([]);
    await put(desk, 'olga', 'pete', aPrincipal());
    expect(desk.remains.log.events.filter(({ type }) => type === 'AdministrationAsserted')).toHaveLength(1);
  });
});
