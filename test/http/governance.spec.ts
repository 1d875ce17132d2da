import { expectFaults, expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
});
afterAll(() => service.stop());

const scripted = { kind: 'scripted', turns: [{ text: 'hello' }] };

let made = 0;
function freshId(): string {
  made += 1;
  return `record-${made}`;
}

describe('a configuration', () => {
  it('reads as it was put, and can be put back as it was read', async () => {
    const path = `/configurations/${freshId()}`;
    const whole = {
      provider: {
        kind: 'openai-compatible',
        baseUrl: 'https://models.example.org/v1',
        model: 'm-1',
        apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_EXAMPLE',
        timeoutMs: 30_000,
      },
      trustZone: 'external_eu',
      fallbacks: [{ provider: scripted, trustZone: 'local' }, { provider: scripted }],
      systemPrompt: 'Be kind.',
      allowedTools: ['ask'],
      snippetIds: ['tone'],
      skillIds: [],
      requireSecondApprover: true,
    };
    const put = await service.call('PUT', path, { body: whole });
    expect([put.status, put.body]).toEqual([201, whole]);
    const read = await service.call('GET', path);
    expect([read.status, read.body]).toEqual([200, whole]);
    expect(read.headers.get('etag')).toBe(put.headers.get('etag'));
    const again = await service.call('PUT', path, { body: read.body });
    expect([again.status, again.headers.get('etag')]).toEqual([200, read.headers.get('etag')]);
  });

  it('needs no more than a provider', async () => {
    const path = `/configurations/${freshId()}`;
    expect((await service.call('PUT', path, { body: { provider: scripted } })).body).toEqual({
      provider: scripted,
      fallbacks: [],
      snippetIds: [],
      skillIds: [],
      requireSecondApprover: false,
    });
  });

  it('is gone once it was deleted, and can be made again', async () => {
    const path = `/configurations/${freshId()}`;
    expectProblem(await service.call('GET', path), 'configuration-not-found');
    expectProblem(await service.call('DELETE', path), 'configuration-not-found');
    await service.call('PUT', path, { body: { provider: scripted } });
    const deleted = await service.call('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await service.call('DELETE', path)).status).toBe(204);
    expectProblem(await service.call('GET', path), 'configuration-not-found');
    expect((await service.call('PUT', path, { body: { provider: scripted } })).status).toBe(201);
  });

  it.each<[string, object, string[]]>([
    ['no provider', { trustZone: 'local' }, ['/provider']],
    ['a provider of no kind', { provider: { kind: 'oracle' } }, ['/provider/kind']],
    ['an unknown property of a provider', { provider: { ...scripted, apiKey: 'secret' } }, ['/provider/apiKey']],
    [
      'a key of the environment that is not for providers',
      { provider: { kind: 'openai-compatible', baseUrl: 'https://x', model: 'm', apiKeyEnv: 'HOLDPOINT_MASTER_KEY' } },
      ['/provider/apiKeyEnv'],
    ],
    [
      'an address with user info',
      { provider: { kind: 'openai-compatible', baseUrl: 'https://u:p@x', model: 'm' } },
      ['/provider/baseUrl'],
    ],
    ['a zone that is none', { provider: scripted, trustZone: 'moon' }, ['/trustZone']],
    ['fallbacks that are no list', { provider: scripted, fallbacks: {} }, ['/fallbacks']],
    ['a fallback that is none', { provider: scripted, fallbacks: [scripted] }, ['/fallbacks/0']],
    [
      'a fallback in a zone that is none',
      { provider: scripted, fallbacks: [{ provider: scripted, trustZone: 'moon' }] },
      ['/fallbacks/0'],
    ],
    [
      'bad providers everywhere',
      { provider: {}, fallbacks: [{ provider: scripted }, { provider: {} }] },
      ['/provider/kind', '/fallbacks/1/provider/kind'],
    ],
    ['null for an allow-list', { provider: scripted, allowedTools: null }, ['/allowedTools']],
    ['a prompt that is no text', { provider: scripted, systemPrompt: 1 }, ['/systemPrompt']],
    ['an unknown property', { provider: scripted, id: 'x' }, ['/id']],
  ])('is refused with %s', async (_what, body, pointers) => {
    const answer = await service.call('PUT', `/configurations/${freshId()}`, { body });
    expectFaults(answer, ...pointers);
    expect(answer.text).not.toMatch(/moon|oracle|u:p@|HOLDPOINT_MASTER_KEY/);
  });

  it('has an id that a record can have', async () => {
    for (const id of ['a%20b', 'a%2Fb', '%C3%A4', 'x'.repeat(65), '__proto__%00']) {
      for (const method of ['PUT', 'GET', 'DELETE']) {
        const body = method === 'PUT' ? { body: { provider: scripted } } : {};
        expectFaults(await service.call(method, `/configurations/${id}`, body), '');
      }
    }
    for (const id of ['__proto__', 'constructor', '-', '_', 'x'.repeat(64)]) {
      const path = `/configurations/${id}`;
      expectProblem(await service.call('GET', path), 'configuration-not-found');
      expect((await service.call('PUT', path, { body: { provider: scripted } })).status).toBe(201);
      expect((await service.call('GET', path)).status).toBe(200);
    }
  });
});

describe('two editors of one document', () => {
  const person = (changed: object = {}) => ({ body: { kind: 'person', enabled: true, ...changed } });

  it('the one who saw the older version is told, and changes nothing', async () => {
    const path = `/principals/${freshId()}`;
    const seen = (await service.call('PUT', path, person())).headers.get('etag') as string;
    const mine = await service.call('PUT', path, { ...person({ admin: true }), headers: { 'if-match': seen } });
    expect(mine.status).toBe(200);
    const theirs = { ...person({ grants: ['agent_approve'] }), headers: { 'if-match': seen } };
    expectProblem(await service.call('PUT', path, theirs), 'precondition-failed');
    expect((await service.call('GET', path)).body).toMatchObject({ admin: true, grants: [] });
    expect((await service.call('GET', path)).headers.get('etag')).toBe(mine.headers.get('etag'));
  });

  it('the one whose change got through is not told otherwise when they repeat it', async () => {
    const path = `/principals/${freshId()}`;
    const seen = (await service.call('PUT', path, person())).headers.get('etag') as string;
    const edit = { ...person({ admin: true }), headers: { 'if-match': seen } };
    const [first, second] = [await service.call('PUT', path, edit), await service.call('PUT', path, edit)];
    expect([second.status, second.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
  });

  it('may want to be the first, or to change only what is there', async () => {
    const path = `/principals/${freshId()}`;
    const onlyChange = { ...person(), headers: { 'if-match': '*' } };
    const onlyMake = { ...person({ admin: true }), headers: { 'if-none-match': '*' } };
    expectProblem(await service.call('PUT', path, onlyChange), 'precondition-failed');
    expect((await service.call('PUT', path, onlyMake)).status).toBe(201);
    expectProblem(
      await service.call('PUT', path, { ...person(), headers: { 'if-none-match': '*' } }),
      'precondition-failed',
    );
    expect((await service.call('PUT', path, onlyChange)).status).toBe(200);
  });

  it('may delete only the version that they saw', async () => {
    const path = `/configurations/${freshId()}`;
    const seen = (await service.call('PUT', path, { body: { provider: scripted } })).headers.get('etag') as string;
    expectProblem(await service.call('DELETE', path, { headers: { 'if-match': '"7"' } }), 'precondition-failed');
    expectProblem(await service.call('DELETE', path, { headers: { 'if-match': `W/${seen}` } }), 'precondition-failed');
    expect((await service.call('DELETE', path, { headers: { 'if-match': `"7", ${seen}` } })).status).toBe(204);
  });

  it.each<Record<string, string>>([
    { 'if-match': '7' },
    { 'if-match': '"unclosed' },
    { 'if-none-match': '"7"' },
    { 'if-match': '*', 'if-none-match': '*' },
  ])('are told when a condition cannot be understood: %j', async (headers) => {
    expectFaults(await service.call('PUT', `/principals/${freshId()}`, { ...person(), headers }), '');
  });

  it('a token in between does not change the document', async () => {
    const path = `/principals/${freshId()}`;
    const seen = (await service.call('PUT', path, person())).headers.get('etag') as string;
    await service.call('POST', `${path}/tokens`);
    expect((await service.call('GET', path)).headers.get('etag')).toBe(seen);
    const edit = { ...person({ admin: true }), headers: { 'if-match': seen } };
    expect((await service.call('PUT', path, edit)).status).toBe(200);
  });
});

describe('a principal', () => {
  it('reads as it was put', async () => {
    const path = `/principals/${freshId()}`;
    const body = {
      kind: 'service_account',
      enabled: true,
      oidcSubject: 'auth0|42',
      scopes: ['agent:run', 'agent:run'],
    };
    const expected = { ...body, admin: false, grants: [], scopes: ['agent:run'] };
    expect((await service.call('PUT', path, { body })).body).toEqual(expected);
    expect((await service.call('GET', path)).body).toEqual(expected);
    expectProblem(await service.call('GET', '/principals/nobody'), 'principal-not-found');
  });

  it.each<[object, string]>([
    [{ enabled: true }, '/kind'],
    [{ kind: 'robot', enabled: true }, '/kind'],
    [{ kind: 'person' }, '/enabled'],
    [{ kind: 'person', enabled: 'true' }, '/enabled'],
    [{ kind: 'person', enabled: 1 }, '/enabled'],
    [{ kind: 'person', enabled: true, admin: null }, '/admin'],
    [{ kind: 'person', enabled: true, grants: ['everything'] }, '/grants'],
    [{ kind: 'person', enabled: true, grants: 'agent_approve' }, '/grants'],
    [{ kind: 'service_account', enabled: true, scopes: ['agent:everything'] }, '/scopes'],
    [{ kind: 'person', enabled: true, oidcSubject: '' }, '/oidcSubject'],
    [{ kind: 'person', enabled: true, token: 'x' }, '/token'],
  ])('is refused as %j', async (body, pointer) => {
    const answer = await service.call('PUT', `/principals/${freshId()}`, { body });
    expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer);
    expect(answer.status).toBe(400);
  });

  it('cannot take administration from themselves', async () => {
    expectProblem(
      await service.call('PUT', '/principals/admin', { body: { kind: 'person', enabled: true } }),
      'self-lockout',
    );
    expect((await service.call('GET', '/me')).body.admin).toBe(true);
  });
});

describe('a token', () => {
  it('is told once, and listed without what would open anything', async () => {
    const path = `/principals/${freshId()}`;
    await service.call('PUT', path, { body: { kind: 'person', enabled: true } });
    const expiresAt = '2999-12-31T23:00:00+01:00';
    const issued = await service.call('POST', `${path}/tokens`, { body: { name: 'laptop', expiresAt } });
    expect(issued.status).toBe(201);
    const { token, tokenId } = issued.body;
    expect(issued.body).toEqual({ token, tokenId, name: 'laptop', expiresAt: '2999-12-31T22:00:00.000Z' });
    expect((await service.call('GET', '/me', { token })).status).toBe(200);
    const listed = await service.call('GET', `${path}/tokens`);
    expect(listed.body).toEqual({
      items: [
        {
          tokenId,
          name: 'laptop',
          issuedAt: expect.stringMatching(/Z$/),
          expiresAt: '2999-12-31T22:00:00.000Z',
          revokedAt: null,
          lastUsedAt: expect.stringMatching(/Z$/),
        },
      ],
      nextCursor: null,
    });
    expect(listed.text).not.toMatch(/hash|[0-9a-f]{64}/);
    expect((await service.call('DELETE', `${path}/tokens/${tokenId}`)).status).toBe(204);
    expect((await service.call('DELETE', `${path}/tokens/${tokenId}`)).status).toBe(204);
    expectProblem(await service.call('DELETE', `${path}/tokens/other`), 'token-not-found');
    expectProblem(await service.call('DELETE', '/principals/nobody/tokens/other'), 'principal-not-found');
  });

  it.each<[object, string]>([
    [{ expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
    [{ expiresAt: 'tomorrow' }, '/expiresAt'],
    [{ expiresAt: '2999-02-30T00:00:00Z' }, '/expiresAt'],
    [{ expiresAt: '2999-01-01T00:00:00' }, '/expiresAt'],
    [{ name: '<b>' }, '/name'],
    [{ scope: 'x' }, '/scope'],
  ])('is refused as %j', async (body, pointer) => {
    const answer = await service.call('POST', '/principals/admin/tokens', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  it('is needed by nobody more than by whoever has no other', async () => {
    expectProblem(await service.call('DELETE', '/principals/admin/tokens/bootstrap'), 'self-lockout');
    expect((await service.call('GET', '/me')).status).toBe(200);
  });
});

it('the tools are listed with what follows from their declarations', async () => {
  const { items } = (await service.call('GET', '/tools')).body;
  expect(items.map(({ name, approval }: { name: string; approval: boolean }) => [name, approval])).toEqual([
    ['look', false],
    ['ask', false],
    ['refund', true],
  ]);
  expect(items[1]).toMatchObject({ effect: 'read_only', adminOnly: false, inputSchema: { required: ['amount'] } });
});
