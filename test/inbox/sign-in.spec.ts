import type { FastifyRequest } from 'fastify';
import { SignInLinks } from '../../src/governance/sign-in-links.js';
import { InboxSessions } from '../../src/inbox/session/inbox-sessions.js';
import { returnTo } from '../../src/inbox/sign-in/return-to.js';
import { ADMIN_TOKEN, HttpService } from '../http/http-service.js';
import { Browser, type Going, type Visit } from '../support/browser.js';

const SESSION = 'holdpoint-session';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
});
afterAll(() => service.stop());

function post(browser: Browser, fields: Record<string, string>, going: Going = {}): Promise<Visit> {
  return browser.go(`${service.address}/inbox/sign-in`, { method: 'POST', fields, from: service.address, ...going });
}

async function whoIs(secret: string | undefined): Promise<string | undefined> {
  const request = { headers: { cookie: `${SESSION}=${secret}` } } as FastifyRequest;
  return (await service.app.get(InboxSessions, { strict: false }).sessionOf(request))?.id;
}

describe('signing in with a token', () => {
  it('begins a session, whose cookie no script and no other site can use', async () => {
    const browser = new Browser();
    const visit = await post(browser, { token: ADMIN_TOKEN, to: '/runs/0123' });
    expect([visit.status, visit.location]).toEqual([303, '/inbox/runs/0123']);
    const [cookie = ''] = visit.setCookies;
    expect(cookie).not.toContain(ADMIN_TOKEN);
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/inbox', 'SameSite=Strict']);
    expect(await whoIs(browser.cookie(SESSION))).toBe('admin');
  });

  it.each(['', 'x', 'hp.admin.bootstrap.x', 'eyJhbGciOiJub25lIn0.e30.', `${ADMIN_TOKEN} `])(
    'lets nobody in with %j, and shows the form again',
    async (token) => {
      const browser = new Browser();
      const visit = await post(browser, { token });
      expect([visit.status, browser.cookie(SESSION)]).toEqual([401, undefined]);
      expect(visit.text).toContain('role="alert"');
      if (token.length > 1) expect(visit.text).not.toContain(token);
    },
  );

  it('is for people: the token of a service account, or of somebody disabled, lets nobody in', async () => {
    const robot = await service.principal('robot', { kind: 'service_account', scopes: ['agent:read'] });
    const dora = await service.principal('dora', { kind: 'person' });
    await service.call('PUT', '/principals/dora', { body: { kind: 'person', enabled: false } });
    for (const token of [robot, dora]) expect((await post(new Browser(), { token })).status).toBe(401);
  });

  it('ends the session that the browser had before', async () => {
    const browser = new Browser();
    await post(browser, { token: ADMIN_TOKEN });
    const before = browser.cookie(SESSION);
    await post(browser, { token: await service.principal('olga', { kind: 'person' }) });
    expect(await whoIs(before)).toBeUndefined();
    expect(await whoIs(browser.cookie(SESSION))).toBe('olga');
  });

  it('counts for nobody where a second cookie of its name was planted, in front or behind', async () => {
    const browser = new Browser();
    await post(browser, { token: ADMIN_TOKEN });
    const secret = browser.cookie(SESSION);
    expect(await whoIs(`${secret}; ${SESSION}=${'A'.repeat(43)}`)).toBeUndefined();
    expect(await whoIs(`${'A'.repeat(43)}; ${SESSION}=${secret}`)).toBeUndefined();
    expect(await whoIs(`${secret}; other=${'A'.repeat(43)}`)).toBe('admin');
  });

  it('SUB-6 is worth nothing any more once the token was revoked', async () => {
    const token = await service.principal('pete', { kind: 'person' });
    const browser = new Browser();
    await post(browser, { token });
    expect(await whoIs(browser.cookie(SESSION))).toBe('pete');
    const [, , tokenId] = token.split('.');
    await service.call('DELETE', `/principals/pete/tokens/${tokenId}`);
    expect(await whoIs(browser.cookie(SESSION))).toBeUndefined();
  });

  it('takes a form alone', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const json = await service.request('POST', '/inbox/sign-in', { body: { token: ADMIN_TOKEN }, headers });
    expect(json.status).toBe(401);
    const plain = { ...headers, 'content-type': 'text/plain' };
    expect(
      (await service.request('POST', '/inbox/sign-in', { body: `token=${ADMIN_TOKEN}`, headers: plain })).status,
    ).toBe(415);
    expect((await service.request('POST', '/inbox/sign-in', { headers })).status).toBe(401);
  });
});

describe('signing in too often', () => {
  it('is answered with the form and a sentence that says what to do, not even with a good token', async () => {
    const limited = await HttpService.start({ limits: { failedAuthenticationsPerMinute: 2 } });
    try {
      const browser = new Browser();
      const attempt = (token: string) =>
        browser.go(`${limited.address}/inbox/sign-in`, {
          method: 'POST',
          fields: { token, to: '/history' },
          from: limited.address,
        });
      const statuses = [];
      for (const token of ['x', 'y', 'z']) statuses.push((await attempt(token)).status);
      expect(statuses).toEqual([401, 401, 429]);
      const visit = await attempt(ADMIN_TOKEN);
      expect([visit.status, visit.headers['content-type'], browser.cookie(SESSION)]).toEqual([
        429,
        'text/html; charset=utf-8',
        undefined,
      ]);
      expect(visit.headers['retry-after']).toMatch(/^[1-9]\d?$/);
      expect(visit.text).toMatch(/role="alert"[\s\S]*Wait a minute, then try again\./);
      expect(visit.text).toContain('name="to" value="/history"');
    } finally {
      await limited.stop();
    }
  });
});

describe('a sign-in link', () => {
  it('opens a page whose button signs in once; looking at it uses nothing up', async () => {
    const link = await service.app.get(SignInLinks).issue('admin');
    const page = `${service.address}/inbox/sign-in?link=${link}`;
    const browser = new Browser();
    for (const method of ['GET', 'GET'] as const) {
      const visit = await browser.go(page, { method, from: 'https://mail.example' });
      expect([visit.status, visit.setCookies]).toEqual([200, []]);
      expect(visit.text).toContain(`name="link" value="${link}"`);
    }
    expect((await service.request('HEAD', `/inbox/sign-in?link=${link}`)).status).toBe(200);
    const visit = await post(browser, { link });
    expect([visit.status, visit.location]).toEqual([303, '/inbox']);
    expect(await whoIs(browser.cookie(SESSION))).toBe('admin');
    const again = await post(new Browser(), { link });
    expect([again.status, again.setCookies]).toEqual([401, []]);
  });

  it('of somebody who may not sign in lets nobody in', async () => {
    await service.call('PUT', '/principals/nina', { body: { kind: 'person', enabled: false } });
    const link = await service.app.get(SignInLinks).issue('nina');
    expect((await post(new Browser(), { link })).status).toBe(401);
  });

  it('is shown as what it is, whatever stands in the address', async () => {
    const visit = await new Browser().go(
      `${service.address}/inbox/sign-in?link=%22%3E%3Cscript%3E&to=%22%3E%3Cscript%3E`,
    );
    expect(visit.text).not.toContain('<script>');
  });
});

describe('a request that changes something', () => {
  it.each<[Record<string, string>, boolean]>([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ 'sec-fetch-site': 'same-origin, cross-site' }, false],
    [{ origin: 'OWN' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'null' }, false],
    [{ referer: 'OWN/inbox' }, false],
    [{}, false],
  ])('is taken from the pages alone: with %j %s', async (headers, taken) => {
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', service.address)]),
    );
    const response = await new Browser().go(`${service.address}/inbox/sign-in`, {
      method: 'POST',
      fields: { token: 'x' },
      headers: { 'sec-fetch-site': '', ...own },
    });
    expect(response.status).toBe(taken ? 401 : 403);
  });

  it('is taken from the public address where one was given, whatever the host calls itself', async () => {
    const other = await HttpService.start({ baseUrl: 'https://holdpoint.example/desk' });
    const status = async (origin: string) =>
      (await other.request('POST', '/inbox/sign-out', { headers: { origin } })).status;
    expect(await status('https://evil.example')).toBe(403);
    expect(await status(other.address)).toBe(403);
    expect(await status('http://holdpoint.example')).toBe(403);
    await other.stop();
  });
});

describe('without an issuer that knows us', () => {
  it('there is no way by it', async () => {
    expect((await new Browser().go(`${service.address}/inbox/sign-in`)).text).not.toContain('oidc');
    for (const path of ['/inbox/sign-in/oidc', '/inbox/sign-in/oidc/callback?code=x&state=y']) {
      expect((await service.request('GET', path)).status).toBe(404);
    }
  });
});

describe('where somebody goes after signing in', () => {
  it.each(['', '/', '/runs/0123', '/runs/0123?tab=timeline&page=2', '?status=waiting'])('may be a page: %j', (to) => {
    expect(returnTo(to)).toBe(to);
  });

  it.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/../api/v1/me',
    '/runs/../../x',
    '/%2e%2e/x',
    '.evil.example',
    '@evil.example',
    '/a//b',
    '/runs#x',
    '/runs\r\nX: y',
    '/runs\n',
    '/sign-in',
    '/sign-in/oidc',
    '/sign-out',
    `/${'x'.repeat(2_000)}`,
    null,
    undefined,
  ])('is the list otherwise: %j', (to) => {
    expect(returnTo(to)).toBe('');
  });
});
