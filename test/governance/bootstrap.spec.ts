import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';
import { CALM } from '../support/memory-event-store.js';

const GIVEN = 'correct horse battery staple!';

describe('the first start', () => {
  it('makes an administrator with the token it was given, and prints none', async () => {
    const desk = new GovernanceDesk(remains());
    expect(await desk.bootstrap.run(GIVEN)).toEqual({ founded: true, generatedToken: null });
    expect(await desk.principals.authenticate(GIVEN)).toMatchObject({ id: 'admin', admin: true, enabled: true });
    expect(await desk.principals.authenticate(`${GIVEN}!`)).toBeNull();
  });

  it('makes a token where none was given, and tells it once', async () => {
    const desk = new GovernanceDesk(remains());
    const { generatedToken } = await desk.bootstrap.run(undefined);
    expect(generatedToken).toMatch(/^hp\.admin\.bootstrap\.[A-Za-z0-9_-]{43}$/);
    expect(await desk.principals.authenticate(generatedToken as string)).toMatchObject({ id: 'admin', admin: true });
    expect(await desk.bootstrap.run(undefined)).toEqual({ founded: false, generatedToken: null });
  });

  it('is the only one that counts: later starts change nothing, whatever token they are given', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.bootstrap.run(GIVEN);
    const written = desk.remains.log.events.length;
    await new GovernanceDesk(desk.remains).bootstrap.run('another token of the right length');
    await new GovernanceDesk(desk.remains).bootstrap.run(undefined);
    expect(desk.remains.log.events).toHaveLength(written);
  });

  it('does not bring back an administrator whom another one disabled', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.bootstrap.run(GIVEN);
    await desk.execute(new PutPrincipal(ROOT, 'admin', aPrincipal({ enabled: false }), NO_PRECONDITION, 'c'));
    await desk.bootstrap.run(GIVEN);
    expect(await desk.principals.find('admin')).toMatchObject({ enabled: false, admin: false });
  });

  it('of two processes at once makes one administrator, and only a token that works is told', async () => {
    const shared = remains();
    // Both have read the empty directory before either appends.
    let arrived = 0;
    let open = () => {};
    const bothAreHere = new Promise<void>((resolve) => {
      open = resolve;
    });
    const plan = {
      ...CALM,
      pause: async (point: string) => {
        if (point !== 'append') return;
        arrived += 1;
        if (arrived === 2) open();
        await bothAreHere;
      },
    };
    const desks = [new GovernanceDesk(shared, plan), new GovernanceDesk(shared, plan)];
    const outcomes = await Promise.all(desks.map((desk) => desk.bootstrap.run(undefined)));
    const told = outcomes.flatMap(({ generatedToken }) => generatedToken ?? []);
    expect(outcomes.map(({ founded }) => founded).sort()).toEqual([false, true]);
    expect(told).toHaveLength(1);
    expect(await desks[0]?.principals.authenticate(told[0] as string)).toMatchObject({ id: 'admin' });
    expect(shared.log.events.map(({ type }) => type)).toEqual(['PrincipalPut', 'TokenIssued']);
  });
});
