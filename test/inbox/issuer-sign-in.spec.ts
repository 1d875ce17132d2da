import type { FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import { InboxSessions } from '../../src/inbox/session/inbox-sessions.js';
import { expectProblem } from '../http/expect-problem.js';
import { HttpService } from '../http/http-service.js';
import { Browser, type Visit } from '../support/browser.js';
import { AUDIENCE, CLIENT, OpenIdProvider } from '../support/openid-provider.js';

const ORIGIN = 'https://holdpoint.example';
const BASE = `${ORIGIN}/desk`;
const CALLBACK = `${BASE}/inbox/sign-in/oidc/callback`;
const SESSION = '__Secure-holdpoint-session';
const ATTEMPT = '__Secure-holdpoint-sign-in';

let provider: OpenIdProvider;
let service: HttpService;
const lines: string[] = [];
const secrets: string[] = [];

beforeAll(async () => {
  provider = await OpenIdProvider.start(CALLBACK);
  service = await HttpService.start({
    baseUrl: BASE,
    log: (line) => lines.push(line),
    openId: {
      issuer: provider.issuer,
      audience: AUDIENCE,
      jwksUri: undefined,
      clockSkewSeconds: 30,
      client: CLIENT,
    },
  });
  service.app.useLogger(service.app.get(Logger));
  await put('olga', { oidcSubject: 'auth0|olga' });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

function put(id: string, document: object) {
  return service.call('PUT', `/principals/${id}`, { body: { kind: 'person', enabled: true, ...document } });
}

function aBrowser(): Browser {
  return new Browser({ [ORIGIN]: { address: service.address, prefix: '/desk' } });
}

/** Up to the answer of the issuer, which sends the browser back to this address. */
async function askIssuer(browser: Browser, person: string | null, to = ''): Promise<string> {
  provider.person = person;
  const begun = await browser.go(`${BASE}/inbox/sign-in/oidc?${new URLSearchParams({ to })}`, { from: ORIGIN });
  secrets.push(browser.cookie(ATTEMPT) as string);
  let visit = await browser.go(begun.location as string, { from: ORIGIN });
  while (!(visit.location as string).startsWith(BASE)) {
    visit = await browser.go(new URL(visit.location as string, visit.url).href, { from: ORIGIN });
  }
  secrets.push(new URL(visit.location as string).searchParams.get('code') ?? 'no code at all');
  return visit.location as string;
}

async function signIn(browser: Browser, person: string | null, to = ''): Promise<Visit> {
  const visit = await browser.go(await askIssuer(browser, person, to), { from: provider.issuer });
  const session = browser.cookie(SESSION);
  if (session !== undefined) secrets.push(session);
  return visit;
}

/** Who is signed in, as every page asks. */
async function whoIs(secret: string | undefined): Promise<string | undefined> {
  const request = { headers: { cookie: `${SESSION}=${secret}` } } as FastifyRequest;
  return (await service.app.get(InboxSessions, { strict: false }).sessionOf(request))?.id;
}

function expectNobody(browser: Browser, visit: Visit, status: number): void {
  expect([visit.status, browser.cookie(SESSION)]).toEqual([status, undefined]);
  expect(visit.text).toContain('role="alert"');
}

describe('signing in by the issuer', () => {
  it('goes to the issuer with PKCE, state and nonce, and keeps the attempt in a cookie that comes back with it', async () => {
    const visit = await aBrowser().go(`${BASE}/inbox/sign-in/oidc`, { from: ORIGIN });
    expect(visit.status).toBe(303);
    const { origin, searchParams } = new URL(visit.location as string);
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT.id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const [cookie = ''] = visit.setCookies;
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/desk/inbox/sign-in/oidc',
      'SameSite=Lax',
      'Secure',
    ]);
    for (const name of ['state', 'nonce']) expect(cookie).not.toContain(searchParams.get(name));
  });

  it('begins a session, and leads on by a page of its own to where somebody wanted to go', async () => {
    const browser = aBrowser();
    const visit = await signIn(browser, 'auth0|olga', '/runs/0123?tab=timeline');
    expect(visit.status).toBe(200);
    expect(visit.text).toContain('content="0;url=/desk/inbox/runs/0123?tab=timeline"');
    const cookie = visit.setCookies.find((one) => one.startsWith(`${SESSION}=`)) ?? '';
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=43200',
      'Path=/desk/inbox',
      'SameSite=Strict',
      'Secure',
    ]);
    expect(browser.cookie(ATTEMPT)).toBeUndefined();
    expect(await whoIs(browser.cookie(SESSION))).toBe('olga');
    expect(visit.headers['cache-control']).toBe('no-store');
    expect(visit.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('is done once: the same way back again leads nowhere, also with a copy of the attempt', async () => {
    const browser = aBrowser();
    const back = await askIssuer(browser, 'auth0|olga');
    const attempt = browser.cookie(ATTEMPT) as string;
    expect((await browser.go(back, { from: provider.issuer })).status).toBe(200);
    const other = aBrowser();
    expectNobody(other, await other.go(back, { from: provider.issuer }), 400);
    other.plant(ATTEMPT, attempt, CALLBACK);
    expectNobody(other, await other.go(back, { from: provider.issuer }), 400);
  });

  it('is not done for another browser: an answer without the attempt lets nobody in', async () => {
    const [mine, theirs] = [aBrowser(), aBrowser()];
    const back = await askIssuer(mine, 'auth0|olga');
    expectNobody(theirs, await theirs.go(back, { from: provider.issuer }), 400);
    // Also not when they have begun one of their own, with its own state and verifier.
    await theirs.go(`${BASE}/inbox/sign-in/oidc`, { from: ORIGIN });
    expectNobody(theirs, await theirs.go(back, { from: provider.issuer }), 400);
  });

  it.each<[string, (back: URL) => void]>([
    ['another state', (back) => back.searchParams.set('state', 'x'.repeat(43))],
    ['no state', (back) => back.searchParams.delete('state')],
    ['two states', (back) => back.searchParams.append('state', 'x')],
    ['another code', (back) => back.searchParams.set('code', 'x'.repeat(43))],
    ['no code', (back) => back.searchParams.delete('code')],
    ['another issuer', (back) => back.searchParams.set('iss', 'https://issuer.example')],
    ['no issuer', (back) => back.searchParams.delete('iss')],
    [
      'nothing',
      (back) => {
        back.search = '';
      },
    ],
  ])('lets nobody in with %s', async (_what, change) => {
    const browser = aBrowser();
    const back = new URL(await askIssuer(browser, 'auth0|olga'));
    change(back);
    expectNobody(browser, await browser.go(back.href, { from: provider.issuer }), 400);
    expect(browser.cookie(ATTEMPT)).toBeUndefined();
  });

  it('lets nobody in with an attempt that was tampered with', async () => {
    const browser = aBrowser();
    const back = await askIssuer(browser, 'auth0|olga');
    const attempt = browser.cookie(ATTEMPT) as string;
    const other = aBrowser();
    for (const changed of [`${attempt.slice(0, -4)}AAAA`, attempt.slice(1), 'x', '....']) {
      other.plant(ATTEMPT, changed, CALLBACK);
      expectNobody(other, await other.go(back, { from: provider.issuer }), 400);
    }
  });

  it('lets nobody in whom the issuer refuses', async () => {
    const browser = aBrowser();
    expectNobody(browser, await signIn(browser, null), 403);
  });

  it('lets in people whom the directory knows, and nobody else', async () => {
    await put('dora', { oidcSubject: 'auth0|dora', enabled: false });
    await put('robot', { oidcSubject: 'auth0|robot', kind: 'service_account' });
    for (const person of ['auth0|dora', 'auth0|robot', 'auth0|stranger', 'olga']) {
      const browser = aBrowser();
      expectNobody(browser, await signIn(browser, person), 403);
    }
  });

  it('SUB-6 ends when the person is disabled or loses the subject, with the next request', async () => {
    await put('pete', { oidcSubject: 'auth0|pete' });
    const browser = aBrowser();
    await signIn(browser, 'auth0|pete');
    const session = browser.cookie(SESSION);
    expect(await whoIs(session)).toBe('pete');
    await put('pete', { oidcSubject: 'auth0|pete', enabled: false });
    expect(await whoIs(session)).toBeUndefined();
    await put('pete', { oidcSubject: 'auth0|pete' });
    expect(await whoIs(session)).toBe('pete');
    await put('pete', {});
    await put('gina', { oidcSubject: 'auth0|pete' });
    expect(await whoIs(session)).toBeUndefined();
  });

  it('ends with signing out, for whoever kept the cookie too', async () => {
    const browser = aBrowser();
    await signIn(browser, 'auth0|olga');
    const session = browser.cookie(SESSION);
    const visit = await browser.go(`${BASE}/inbox/sign-out`, { method: 'POST', fields: {}, from: ORIGIN });
    expect([visit.status, visit.location]).toEqual([303, '/desk/inbox/sign-in']);
    expect(browser.cookie(SESSION)).toBeUndefined();
    expect(await whoIs(session)).toBeUndefined();
  });

  it('cannot be undone by another site', async () => {
    const browser = aBrowser();
    await signIn(browser, 'auth0|olga');
    const visit = await browser.go(`${BASE}/inbox/sign-out`, {
      method: 'POST',
      fields: {},
      from: 'https://evil.example',
    });
    expect(visit.status).toBe(403);
    expect(await whoIs(browser.cookie(SESSION))).toBe('olga');
  });

  it('begins a session that is worth nothing to the interface', async () => {
    const browser = aBrowser();
    await signIn(browser, 'auth0|olga');
    const secret = browser.cookie(SESSION) as string;
    for (const headers of [{ cookie: `${SESSION}=${secret}` }, { authorization: `Bearer ${secret}` }] as Record<
      string,
      string
    >[]) {
      expectProblem(await service.call('GET', '/me', { token: null, headers }), 'unauthenticated');
    }
    expect((await browser.go(`${BASE}/api/v1/me`, { from: ORIGIN })).status).toBe(401);
  });

  it('says so while the issuer does not answer, before and after', async () => {
    const other = await HttpService.start({
      baseUrl: BASE,
      openId: { issuer: provider.issuer, audience: AUDIENCE, jwksUri: undefined, clockSkewSeconds: 30, client: CLIENT },
    });
    provider.isAway = true;
    const browser = new Browser({ [ORIGIN]: { address: other.address, prefix: '/desk' } });
    expectNobody(browser, await browser.go(`${BASE}/inbox/sign-in/oidc`, { from: ORIGIN }), 503);
    provider.isAway = false;
    const mine = aBrowser();
    const back = await askIssuer(mine, 'auth0|olga');
    provider.isAway = true;
    expectNobody(mine, await mine.go(back, { from: provider.issuer }), 503);
    provider.isAway = false;
    await other.stop();
  });

  it('leaves no secret in the log', async () => {
    await service.request('GET', '/health/live');
    const all = lines.join('');
    expect(all.includes('/inbox/sign-in/oidc/callback')).toBe(true);
    expect(secrets.length).toBeGreaterThan(20);
    expect([...secrets, CLIENT.secret, 'auth0|'].filter((secret) => all.includes(secret))).toEqual([]);
  });
});
