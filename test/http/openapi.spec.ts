import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { PROBLEMS, type ProblemCode } from '../../src/http/problems/problem.js';
import { HttpService } from './http-service.js';

let service: HttpService;
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into member by member.
let document: any;
beforeAll(async () => {
  service = await HttpService.start({ baseUrl: 'https://example.org/holdpoint' });
  document = (await service.request('GET', '/api/openapi.json')).body;
});
afterAll(() => service.stop());

interface Operation {
  readonly call: string;
  readonly path: string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly declared: any;
}

function operations(): Operation[] {
  return Object.entries(document.paths as Record<string, Record<string, unknown>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => ({
      call: `${method.toUpperCase()} ${path}`,
      path,
      method,
      declared,
    })),
  );
}

/** What needs no token: the process is asked how it does. */
function isForOperators(path: string): boolean {
  return path.startsWith('/health') || path === '/metrics';
}

describe('the document of the interface', () => {
  it('is OpenAPI 3.1, and valid', async () => {
    expect(document.openapi).toBe('3.1.0');
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('names the public address that the operator gave', () => {
    expect(document.servers).toEqual([{ url: 'https://example.org/holdpoint' }]);
  });

  it('has exactly the calls of this release', () => {
    expect(
      operations()
        .map(({ call }) => call)
        .sort(),
    ).toEqual(
      [
        'POST /api/v1/runs',
        'GET /api/v1/runs',
        'GET /api/v1/runs/{id}',
        'GET /api/v1/runs/{id}/pause',
        'GET /api/v1/runs/{id}/form',
        'POST /api/v1/runs/{id}/input',
        'POST /api/v1/runs/{id}/approval',
        'POST /api/v1/runs/{id}/resolution',
        'DELETE /api/v1/runs/{id}/content',
        'POST /api/v1/runs/{id}/cancel',
        'GET /api/v1/runs/{id}/events',
        'GET /api/v1/inbox',
        'GET /api/v1/me',
        'GET /api/v1/audit',
        'GET /api/v1/tools',
        'PUT /api/v1/tools/{id}',
        'GET /api/v1/configurations',
        'GET /api/v1/snippets',
        'GET /api/v1/skills',
        'GET /api/v1/principals',
        'PUT /api/v1/configurations/{id}',
        'GET /api/v1/configurations/{id}',
        'DELETE /api/v1/configurations/{id}',
        'GET /api/v1/configurations/{id}/policy',
        'PUT /api/v1/snippets/{id}',
        'GET /api/v1/snippets/{id}',
        'DELETE /api/v1/snippets/{id}',
        'PUT /api/v1/skills/{id}',
        'GET /api/v1/skills/{id}',
        'DELETE /api/v1/skills/{id}',
        'PUT /api/v1/policies/data-class-enforcement',
        'GET /api/v1/policies/data-class-enforcement',
        'PUT /api/v1/principals/{id}',
        'GET /api/v1/principals/{id}',
        'POST /api/v1/principals/{id}/tokens',
        'GET /api/v1/principals/{id}/tokens',
        'DELETE /api/v1/principals/{id}/tokens/{tokenId}',
        'GET /metrics',
        'GET /health/live',
        'GET /health/ready',
      ].sort(),
    );
  });

  it('says what every call is for, what it answers and what it takes to make it', () => {
    for (const { call, path, declared } of operations()) {
      expect([call, declared.summary]).toEqual([call, expect.stringMatching(/^[A-Z]/)]);
      expect([call, Object.keys(declared.responses).some((status) => status.startsWith('2'))]).toEqual([call, true]);
      expect([call, declared.security]).toEqual([call, isForOperators(path) ? undefined : [{ bearer: [] }]]);
    }
    expect(new Set(operations().map(({ declared }) => declared.operationId)).size).toBe(operations().length);
  });

  it('has every problem under its own status, and every call the problems that all calls have', () => {
    const used = new Set<string>();
    for (const { call, path, declared } of operations()) {
      for (const [status, response] of Object.entries<{ content?: object }>(declared.responses)) {
        const names = [...JSON.stringify(response.content ?? {}).matchAll(/schemas\/Problem\.([a-z-]+)/g)];
        for (const [, code] of names) {
          used.add(code as string);
          expect([call, code, PROBLEMS[code as ProblemCode].status]).toEqual([call, code, Number(status)]);
        }
      }
      if (isForOperators(path)) continue;
      for (const status of ['401', '403', '429', '500', '503']) expect(declared.responses).toHaveProperty(status);
      if (declared.requestBody)
        for (const status of ['400', '413', '415']) expect(declared.responses).toHaveProperty(status);
    }
    // What the server finds before it knows which call is meant is no call's problem.
    const ofNoCall = ['not-found', 'request-timeout', 'address-too-long', 'headers-too-large'];
    expect([...used, ...ofNoCall].sort()).toEqual(Object.keys(PROBLEMS).sort());
  });

  it('has no word of the older dialect', () => {
    expect(JSON.stringify(document)).not.toMatch(/"nullable"|"exclusiveMinimum":true/);
  });
});

describe('what is answered is what the document says', () => {
  const schemas = () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema({ $id: 'doc', components: document.components });
    return ajv;
  };

  function check(call: string, status: string, body: unknown): void {
    const operation = operations().find((one) => one.call === call);
    const content = Object.values<{ schema: object }>(operation?.declared.responses[status].content)[0];
    const schema = JSON.parse(JSON.stringify(content?.schema ?? {}).replaceAll('"#/', '"doc#/'));
    const ajv = schemas();
    const valid = ajv.validate(schema, body);
    expect([call, valid, ajv.errors]).toEqual([call, true, null]);
    expectDeclared(call, content?.schema as AnySchemaObject, body);
  }

  /** Every member of an answer is one that the document names. */
  function expectDeclared(where: string, schema: AnySchemaObject, value: unknown): void {
    const parts = flattened(schema);
    if (Array.isArray(value)) {
      const items = parts.find((part) => part.items)?.items;
      for (const item of items ? value : []) expectDeclared(`${where}[]`, items, item);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (parts.some((part) => part.additionalProperties === true || part.description?.includes('clear fields'))) return;
    const properties = Object.assign({}, ...parts.map((part) => part.properties));
    for (const [name, member] of Object.entries(value)) {
      expect([where, Object.keys(properties)]).toEqual([where, expect.arrayContaining([name])]);
      expectDeclared(`${where}.${name}`, properties[name], member);
    }
  }

  function flattened(schema: AnySchemaObject): AnySchemaObject[] {
    if (schema.$ref) {
      return flattened(document.components.schemas[schema.$ref.slice('#/components/schemas/'.length)]);
    }
    const combined = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
    return [schema, ...combined.flatMap(flattened)];
  }

  it('for the whole life of a run', async () => {
    const call = async (name: string, path: string, body?: object, headers: Record<string, string> = {}) => {
      const [method = ''] = name.split(' ');
      const answer = await service.call(method, path, { ...(body && { body }), headers });
      check(name, String(answer.status), answer.body);
      return answer.body;
    };
    const asking = { toolName: 'ask', callId: 'c1', arguments: { topic: 'x' } };
    const turns = [{ calls: [asking, { toolName: 'look', arguments: 'not JSON' }] }, { text: 'end' }];
    const provider = { kind: 'scripted', turns };
    await call('PUT /api/v1/configurations/{id}', '/configurations/c', {
      provider,
      trustZone: 'local',
      fallbacks: [{ provider }],
      systemPrompt: 'x',
      allowedTools: ['ask', 'look'],
    });
    await call('GET /api/v1/configurations/{id}', '/configurations/c');
    const { id } = await call('POST /api/v1/runs', '/runs', { configurationId: 'c', input: 'x' });
    const run = `/runs/${id}`;
    await service.work(id);
    await call('GET /api/v1/runs/{id}', run);
    const { turnDigest } = await call('GET /api/v1/runs/{id}/pause', `${run}/pause`);
    await call('GET /api/v1/inbox', '/inbox');
    const name = 'POST /api/v1/runs/{id}/input';
    await call(name, `${run}/input`, { turnDigest: 'stale', data: { amount: 1 } });
    await call(name, `${run}/input`, { turnDigest, data: {} });
    await call(name, `${run}/input`, { turnDigest, data: { amount: 1, other: 2 } });
    await call(name, `${run}/input`, { turnDigest, data: { amount: 2 } });
    await call(name, `${run}/input`, { turnDigest: 'stale', data: { amount: 1 } });
    await service.work(id);
    await call(name, `${run}/input`, { turnDigest, data: { amount: 1, other: 2 } }, { prefer: 'wait=1' });
    await call('POST /api/v1/runs/{id}/cancel', `${run}/cancel`);
    await call('GET /api/v1/runs/{id}', run);
    await call('GET /api/v1/runs', '/runs');
    await call('GET /api/v1/runs/{id}/events', `${run}/events`);
    await call('GET /api/v1/audit', '/audit');
    await call('GET /api/v1/tools', '/tools');
    await call('GET /api/v1/me', '/me');
    await call('GET /api/v1/principals/{id}', '/principals/admin');
    await call('POST /api/v1/principals/{id}/tokens', '/principals/admin/tokens');
    await call('GET /api/v1/principals/{id}/tokens', '/principals/admin/tokens');
    await call('POST /api/v1/runs', '/runs', { colour: 1 });
  });
});

describe('the page to read it with', () => {
  it('is served with all that it needs, from here alone', async () => {
    const page = await service.request('GET', '/api/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none';.*script-src 'self';style-src 'self' 'sha256-[^;]+;/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.text).not.toMatch(/<script>|https?:\/\/(?!www\.w3\.org)/);
    const sources = [...page.text.matchAll(/(?:src|href)="\.\/(docs\/[^"]+)"/g)].map(([, source]) => source);
    expect(sources).toEqual(expect.arrayContaining(['docs/swagger-ui-bundle.js', 'docs/swagger-ui-init.js']));
    for (const source of sources) expect((await service.request('GET', `/api/${source}`)).status).toBe(200);
  });
});
