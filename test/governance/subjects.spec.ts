import fc from 'fast-check';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { GovernanceDesk, type Remains, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';
import { CALM, type FaultPlan } from '../support/memory-event-store.js';

function put(desk: GovernanceDesk, id: string, oidcSubject: string | null) {
  return desk.execute(new PutPrincipal(ROOT, id, aPrincipal({ oidcSubject }), NO_PRECONDITION, 'c'));
}

const TAKEN = { outcome: 'rejected', rejection: { code: 'subject_taken' } };

/** Fails at the first moment at which two records name the same subject. */
function expectNoSubjectTwice({ log }: Remains): void {
  const subjects = new Map<string, string | null>();
  for (const { type, stream, data } of log.events) {
    if (type !== 'PrincipalPut') continue;
    const { oidcSubject } = JSON.parse(data);
    const others = [...subjects].filter(([other, subject]) => other !== stream && subject === oidcSubject);
    if (oidcSubject !== null) expect(others).toEqual([]);
    subjects.set(stream, oidcSubject);
  }
}

describe('a subject of the issuer', () => {
  it('is that of the principal whose record names it, as it is now', async () => {
    const desk = new GovernanceDesk(remains());
    expect(await desk.principals.withSubject('s1')).toBeNull();
    await put(desk, 'olga', 's1');
    expect(await desk.principals.withSubject('s1')).toMatchObject({ id: 'olga' });
    expect(await desk.principals.withSubject('olga')).toBeNull();
    await put(new GovernanceDesk(desk.remains), 'olga', 's2');
    expect(await desk.principals.withSubject('s1')).toBeNull();
    expect(await desk.principals.withSubject('s2')).toMatchObject({ id: 'olga' });
    await put(desk, 'olga', null);
    expect(await desk.principals.withSubject('s2')).toBeNull();
  });

  it('is refused to a second principal, and nothing of their record changes', async () => {
    const desk = new GovernanceDesk(remains());
    await put(desk, 'olga', 's1');
    await put(desk, 'pete', 's2');
    const written = desk.remains.log.events.length;
    expect(await put(desk, 'pete', 's1')).toEqual(TAKEN);
    expect(await put(desk, 'new', 's1')).toEqual(TAKEN);
    expect(desk.remains.log.events).toHaveLength(written);
    expect(await desk.principals.withSubject('s2')).toMatchObject({ id: 'pete' });
  });

  it('can be moved, once whoever had it has it no more', async () => {
    const desk = new GovernanceDesk(remains());
    await put(desk, 'olga', 's1');
    await put(desk, 'olga', null);
    expect(await put(desk, 'pete', 's1')).toMatchObject({ outcome: 'accepted' });
    expect(await desk.principals.withSubject('s1')).toMatchObject({ id: 'pete' });
    expect(await put(desk, 'olga', 's1')).toEqual(TAKEN);
  });

  it('is kept through changes of everything else, and by somebody who is disabled', async () => {
    const desk = new GovernanceDesk(remains());
    await put(desk, 'olga', 's1');
    const disabled = aPrincipal({ oidcSubject: 's1', enabled: false });
    await desk.execute(new PutPrincipal(ROOT, 'olga', disabled, NO_PRECONDITION, 'c'));
    expect(await desk.principals.withSubject('s1')).toMatchObject({ id: 'olga', enabled: false });
    expect(await put(desk, 'pete', 's1')).toEqual(TAKEN);
  });

  it('is in nobody’s way where the record that should name it was refused or never came', async () => {
    const desk = new GovernanceDesk(remains());
    const tooLate = new PutPrincipal(ROOT, 'olga', aPrincipal({ oidcSubject: 's1' }), { kind: 'exists' }, 'c');
    expect(await desk.execute(tooLate)).toMatchObject({ outcome: 'rejected' });
    expect(desk.remains.log.events).toHaveLength(0);
    // The process ends between the claim and the record.
    const dying = new GovernanceDesk(desk.remains, {
      ...CALM,
      appendFate: (stream) => {
        if (stream.startsWith('principal-')) throw new Error('the process ended');
        return 'commit';
      },
    });
    await expect(put(dying, 'olga', 's1')).rejects.toThrow('the process ended');
    expect(await desk.principals.withSubject('s1')).toBeNull();
    expect(await put(desk, 'pete', 's1')).toMatchObject({ outcome: 'accepted' });
    expect(await desk.principals.withSubject('s1')).toMatchObject({ id: 'pete' });
  });

  it('that was passed on cannot be given by a change that was on its way meanwhile', async () => {
    const shared = remains();
    let arrived = () => {};
    const onItsWay = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let appends = 0;
    const slow = new GovernanceDesk(shared, {
      ...CALM,
      // The first append is the claim, the second one the record.
      pause: async (point) => {
        if (point !== 'append') return;
        appends += 1;
        if (appends !== 2) return;
        arrived();
        await held;
      },
    });
    const olga = put(slow, 'olga', 's1');
    await onItsWay;
    const fast = new GovernanceDesk(shared);
    expect(await put(fast, 'pete', 's1')).toMatchObject({ outcome: 'accepted' });
    letGo();
    expect(await olga).toEqual(TAKEN);
    expect(await fast.principals.find('olga')).toBeNull();
    expectNoSubjectTwice(shared);
  });

  it('is never that of two, however their changes interleave', async () => {
    const change = fc.record({
      id: fc.constantFrom('olga', 'pete', 'gina'),
      subject: fc.constantFrom('s1', 's2', null),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 3 }),
        async (scheduler, processes) => {
          const shared = remains();
          const plan: FaultPlan = { ...CALM, pause: (point) => scheduler.schedule(Promise.resolve(), point) };
          const work = processes.map(async (changes) => {
            const desk = new GovernanceDesk(shared, plan);
            for (const { id, subject } of changes) await put(desk, id, subject);
          });
          await scheduler.waitFor(Promise.all(work));
          expectNoSubjectTwice(shared);
          const desk = new GovernanceDesk(shared);
          for (const id of ['olga', 'pete', 'gina']) {
            const subject = (await desk.principals.find(id))?.oidcSubject ?? null;
            if (subject !== null) expect(await desk.principals.withSubject(subject)).toMatchObject({ id });
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
