import { Browser } from '../support/browser.js';
import { failedStart } from '../support/failed-start.js';
import { AUDIENCE, CLIENT, OpenIdProvider } from '../support/openid-provider.js';
import { OWN_STORES, type StoreUnderTest } from '../support/store-under-test.js';

/* The first administrator of a real process comes in: by the link that is printed once, or by the issuer. */

const ORIGIN = 'https://holdpoint.example';

// A log has one first start, so each test begins a log of its own.
describe.each(OWN_STORES)('the first start on %s', (_name, open) => {
  let store: StoreUnderTest;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.remove());
  const NO_TOKEN = { HOLDPOINT_BOOTSTRAP_TOKEN: '' };

  it('prints a link that signs in once, also after a restart', async () => {
    const start = () => store.startNode({ ...NO_TOKEN, HOLDPOINT_BASE_URL: ORIGIN }, { node: 0 });
    const first = await start();
    const link = /^Link that signs "admin" in once, within a day: (\S+)$/m.exec(first.output)?.[1] as string;
    expect(link).toMatch(/^https:\/\/holdpoint\.example\/inbox\/sign-in\?link=[\w-]{43}$/);
    await first.stop();
    const second = await start();
    expect(second.output).not.toContain('Link that signs');
    const browser = new Browser({ [ORIGIN]: { address: second.address } });
    expect((await browser.go(link)).status).toBe(200);
    const secret = new URL(link).searchParams.get('link') as string;
    const post = () =>
      browser.go(`${ORIGIN}/inbox/sign-in`, { method: 'POST', fields: { link: secret }, from: ORIGIN });
    expect((await post()).status).toBe(303);
    expect(browser.cookie('__Secure-holdpoint-session')).toMatch(/^[\w-]{43}$/);
    expect((await post()).status).toBe(401);
    await second.stop();
    expect(second.output).not.toContain(secret);
  }, 60_000);

  it('with an issuer makes no token: whoever has the subject administers, by access tokens and in the inbox', async () => {
    const provider = await OpenIdProvider.start(`${ORIGIN}/inbox/sign-in/oidc/callback`);
    const env = {
      ...NO_TOKEN,
      HOLDPOINT_BASE_URL: ORIGIN,
      HOLDPOINT_OIDC_ISSUER: provider.issuer,
      HOLDPOINT_OIDC_AUDIENCE: AUDIENCE,
      HOLDPOINT_OIDC_CLIENT_ID: CLIENT.id,
      HOLDPOINT_OIDC_CLIENT_SECRET: CLIENT.secret,
    };
    const nobody = await failedStart(store.nodeOptions(env, { node: 0 }));
    expect(nobody).toEqual({ code: 1, output: expect.stringMatching(/^There is no administrator yet: set .+\.\n$/) });

    const service = await store.startNode({ ...env, HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT: 'auth0|ada' }, { node: 0 });
    expect(service.output).not.toMatch(/Token of|Link that/);
    const token = await provider.forge(Date.now(), { claims: { sub: 'auth0|ada' } });
    const me = await service.request('GET', '/api/v1/me', { token });
    expect(me.body).toMatchObject({ id: 'admin', admin: true });

    provider.person = 'auth0|ada';
    const browser = new Browser({ [ORIGIN]: { address: service.address } });
    const visit = await browser.follow(`${ORIGIN}/inbox/sign-in/oidc`);
    expect(visit.status).toBe(200);
    const session = browser.cookie('__Secure-holdpoint-session') as string;
    expect(session).toMatch(/^[\w-]{43}$/);
    await service.stop();
    for (const secret of [session, token, CLIENT.secret, 'auth0|ada']) expect(service.output).not.toContain(secret);
    await provider.stop();
  }, 60_000);
});
