import { expectFaults, expectProblem } from './expect-problem.js';
import { ADMIN_TOKEN, HttpService } from './http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
});
afterAll(() => service.stop());

describe('who is asking', () => {
  it('is told by a bearer token, and looked up with every request', async () => {
    const token = await service.principal('olga', { kind: 'person', grants: ['agent_approve'] });
    const me = await service.call('GET', '/me', { token });
    expect(me.body).toEqual({
      id: 'olga',
      kind: 'person',
      enabled: true,
      admin: false,
      grants: ['agent_approve'],
      scopes: [],
    });
    await service.call('PUT', '/principals/olga', { body: { kind: 'person', enabled: true } });
    expect((await service.call('GET', '/me', { token })).body.grants).toEqual([]);
    await service.call('PUT', '/principals/olga', { body: { kind: 'person', enabled: false } });
    expectProblem(await service.call('GET', '/me', { token }), 'forbidden');
  });

  it.each([
    ['no token', undefined],
    ['an unknown token', 'Bearer nobody-has-such-a-token-here'],
    ['a token of nobody', `Bearer hp.nobody.t1.${'A'.repeat(43)}`],
    ['another scheme', `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}`],
    ['a scheme without a token', 'Bearer'],
    ['two tokens', `Bearer ${ADMIN_TOKEN} ${ADMIN_TOKEN}`],
    ['a token that is too long', `Bearer ${'x'.repeat(1_025)}`],
  ])('is nobody with %s', async (_what, authorization) => {
    const answer = await service.call('GET', '/me', {
      token: null,
      headers: authorization === undefined ? {} : { authorization },
    });
    expectProblem(answer, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="holdpoint"/);
  });

  it('takes the name of the scheme in any case', async () => {
    const headers = { authorization: `bearer ${ADMIN_TOKEN}` };
    expect((await service.call('GET', '/me', { token: null, headers })).status).toBe(200);
  });

  it('is not asked by a cookie, nor told by an address', async () => {
    const headers = { cookie: `token=${ADMIN_TOKEN}` };
    const answer = await service.call('GET', `/me?token=${ADMIN_TOKEN}`, { token: null, headers });
    expectProblem(answer, 'unauthenticated');
  });

  it('is nobody once the token was revoked or has expired', async () => {
    await service.call('PUT', '/principals/otto', { body: { kind: 'person', enabled: true } });
    const { token, tokenId } = (await service.call('POST', '/principals/otto/tokens')).body;
    expect((await service.call('GET', '/me', { token })).status).toBe(200);
    expect((await service.call('DELETE', `/principals/otto/tokens/${tokenId}`)).status).toBe(204);
    expectProblem(await service.call('GET', '/me', { token }), 'unauthenticated');
  });

  it('comes before what they sent: a bad body of nobody is a missing token', async () => {
    const body = '{"configurationId": 1, "configurationId": 2';
    expectProblem(await service.call('POST', '/runs', { token: null, body }), 'unauthenticated');
    expectFaults(await service.call('POST', '/runs', { body }), '');
    const robot = await service.principal('robot', { kind: 'service_account', scopes: ['agent:read'] });
    expectProblem(await service.call('POST', '/runs', { token: robot, body }), 'forbidden');
  });

  it('SUB-6 may be disabled while a token of theirs lives on', async () => {
    const token = await service.principal('dora', { kind: 'person', admin: true });
    expect((await service.call('GET', '/tools', { token })).status).toBe(200);
    await service.call('PUT', '/principals/dora', { body: { kind: 'person', enabled: false, admin: true } });
    for (const path of ['/tools', '/me', '/runs', '/inbox', '/runs/unknown', '/runs/unknown/pause']) {
      expectProblem(await service.call('GET', path, { token }), 'forbidden');
    }
  });
});

describe('every call', () => {
  it('needs a token, whatever else is wrong with it, but for health, metrics and the document', async () => {
    const document = (await service.request('GET', '/api/openapi.json')).body;
    const calls = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')] as const),
    );
    expect(calls.length).toBeGreaterThan(18);
    for (const [method, path] of calls) {
      const answer = await service.request(method, path);
      if (path === '/metrics' || path.startsWith('/health/')) expect(answer.status).toBe(200);
      else expectProblem(answer, 'unauthenticated');
    }
  });
});
