import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';
import { CALM } from '../support/memory-event-store.js';

const GIVEN = 'correct horse battery staple!';

/** Without an issuer. */
function given(token: string | undefined) {
  return { token, issuer: null };
}

describe('the first start', () => {
  it('makes an administrator with the token it was given, and prints none', async () => {
    const desk = new GovernanceDesk(remains());
    expect(await desk.bootstrap.run(given(GIVEN))).toEqual({ founded: true, generatedToken: null });
    expect(await desk.principals.authenticate(GIVEN)).toMatchObject({ id: 'admin', admin: true, enabled: true });
    expect(await desk.principals.authenticate(`${GIVEN}!`)).toBeNull();
  });

  it('makes a token where none was given, and tells it once', async () => {
    const desk = new GovernanceDesk(remains());
    const { generatedToken } = await desk.bootstrap.run(given(undefined));
    expect(generatedToken).toMatch(/^hp\.admin\.bootstrap\.[A-Za-z0-9_-]{43}$/);
    expect(await desk.principals.authenticate(generatedToken as string)).toMatchObject({ id: 'admin', admin: true });
    expect(await desk.bootstrap.run(given(undefined))).toEqual({ founded: false, generatedToken: null });
  });

  it('is the only one that counts: later starts change nothing, whatever token they are given', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.bootstrap.run(given(GIVEN));
    const written = desk.remains.log.events.length;
    await new GovernanceDesk(desk.remains).bootstrap.run(given('another token of the right length'));
    await new GovernanceDesk(desk.remains).bootstrap.run(given(undefined));
    expect(desk.remains.log.events).toHaveLength(written);
  });

  it('does not bring back an administrator whom another one disabled', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.bootstrap.run(given(GIVEN));
    await desk.execute(new PutPrincipal(ROOT, ROOT.id, aPrincipal({ admin: true }), NO_PRECONDITION, 'c'));
    await desk.execute(new PutPrincipal(ROOT, 'admin', aPrincipal({ enabled: false }), NO_PRECONDITION, 'c'));
    await desk.bootstrap.run(given(GIVEN));
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
    const outcomes = await Promise.all(desks.map((desk) => desk.bootstrap.run(given(undefined))));
    const told = outcomes.flatMap(({ generatedToken }) => generatedToken ?? []);
    expect(outcomes.map(({ founded }) => founded).sort()).toEqual([false, true]);
    expect(told).toHaveLength(1);
    expect(await desks[0]?.principals.authenticate(told[0] as string)).toMatchObject({ id: 'admin' });
    expect(shared.log.events.map(({ type }) => type)).toEqual(['PrincipalPut', 'TokenIssued']);
  });

  it('with an issuer makes no token: the administrator is whoever has the subject that was named', async () => {
    const desk = new GovernanceDesk(remains());
    const first = await desk.bootstrap.run({ token: undefined, issuer: { subject: 'auth0|7' } });
    expect(first).toEqual({ founded: true, generatedToken: null });
    expect(await desk.principals.withSubject('auth0|7')).toMatchObject({ id: 'admin', admin: true, enabled: true });
    expect((await desk.principals.read('admin'))?.tokens).toEqual([]);
  });

  it('may be given a subject and a token', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.bootstrap.run({ token: GIVEN, issuer: { subject: 'auth0|7' } });
    expect(await desk.principals.withSubject('auth0|7')).toMatchObject({ id: 'admin' });
    expect(await desk.principals.authenticate(GIVEN)).toMatchObject({ id: 'admin' });
  });

  it('with an issuer and nobody to come in is refused, and changes nothing; a later start needs neither', async () => {
    const desk = new GovernanceDesk(remains());
    const nobody = { token: undefined, issuer: { subject: undefined } };
    await expect(desk.bootstrap.run(nobody)).rejects.toThrow(
      /HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT.+HOLDPOINT_BOOTSTRAP_TOKEN/,
    );
    expect(desk.remains.log.events).toHaveLength(0);
    await desk.bootstrap.run(given(GIVEN));
    expect(await desk.bootstrap.run(nobody)).toEqual({ founded: false, generatedToken: null });
  });

  it('does not give the administrator a subject at a later start', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.bootstrap.run(given(GIVEN));
    const written = desk.remains.log.events.length;
    await desk.bootstrap.run({ token: undefined, issuer: { subject: 'auth0|7' } });
    expect(desk.remains.log.events).toHaveLength(written);
    expect(await desk.principals.withSubject('auth0|7')).toBeNull();
  });
});
