import { Validator } from '@seriousme/openapi-schema-validator';
import { declaredRoutes } from '../support/declared-routes.js';
import type { Service } from '../support/service.js';
import { OWN_STORES, type StoreUnderTest } from '../support/store-under-test.js';

/** What the built service says of its own interface, what reading it does to its data, and what it does without a store. */
describe.each(OWN_STORES)('the interface as a whole, on %s,', (_name, open) => {
  let store: StoreUnderTest;
  let service: Service;
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked into member by member.
  let document: any;

  beforeAll(async () => {
    store = await open();
    service = await store.startNode({ HOLDPOINT_DEMO: '1' });
    document = (await service.request('GET', '/api/openapi.json', { token: null })).body;
  }, 60_000);

  afterAll(async () => {
    await store.remove();
  });

  function documentedCalls(): string[] {
    return Object.entries(document.paths as Record<string, object>)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .sort();
  }

  /** A path with ids in it that nothing has. */
  const filled = (path: string, id = 'unknown') => path.replaceAll(/\{\w+\}/g, id);

  it('has a valid OpenAPI document with every call that there is, and no other', async () => {
    const validated = await new Validator().validate(structuredClone(document));
    expect(validated.errors).toBeUndefined();
    expect(documentedCalls().length).toBeGreaterThan(20);
    // The inbox is pages for people, no interface of programs.
    expect(documentedCalls()).toEqual(declaredRoutes().filter((route) => !/ \/inbox(?:\/|$)/.test(route)));
  });

  it('is open to everybody only where an operator’s machines look', () => {
    const isOpen = (call: string) => {
      const [method = '', path = ''] = call.split(' ');
      return document.paths[path][method.toLowerCase()].security === undefined;
    };
    expect(documentedCalls().filter(isOpen)).toEqual(['GET /health/live', 'GET /health/ready', 'GET /metrics']);
  });

  it('answers each documented call: without a token that one is missing, and never that nothing is there', async () => {
    for (const call of documentedCalls()) {
      const [method = '', path = ''] = call.split(' ');
      const { security, responses } = document.paths[path][method.toLowerCase()];
      const { status, body, headers } = await service.request(method, filled(path), { token: null });
      const isOpen = security === undefined;
      expect([call, status, body?.code]).toEqual(isOpen ? [call, 200, undefined] : [call, 401, 'unauthenticated']);
      if (!isOpen) expect(headers.get('www-authenticate')).toMatch(/^Bearer /);
      const known = await service.request(method, filled(path), { body: method === 'GET' ? undefined : {} });
      expect([call, known.body?.code]).not.toEqual([call, 'not-found']);
      // What is answered is documented.
      expect([call, Object.keys(responses)]).toEqual([call, expect.arrayContaining([`${known.status}`])]);
    }
  }, 60_000);

  it('changes not a byte of the log and the keys by GET and HEAD, whatever is asked', async () => {
    const go = { configurationId: 'demo', input: 'go' };
    const { body: run } = await service.call('POST', '/runs', go, { prefer: 'wait=30' });
    expect(run.status).toBe('waiting_for_input');
    const before = await store.logAndKeys();
    const reads = documentedCalls().flatMap((call) => (call.startsWith('GET ') ? [call.slice(4)] : []));
    for (const path of [...reads, '/', '/api/docs', '/api/v1/nothing']) {
      for (const id of [run.id, 'demo', 'unknown']) {
        const head = await service.request('HEAD', filled(path, id));
        const get = await service.request('GET', `${filled(path, id)}?cancel=1`);
        expect([path, head.text]).toEqual([path, '']);
        expect([200, 400, 404]).toContain(get.status);
      }
    }
    for (const action of ['input', 'approval', 'cancel', 'resolution']) {
      expect((await service.call('GET', `/runs/${run.id}/${action}`)).body.code).toBe('not-found');
    }
    expect(await store.logAndKeys()).toEqual(before);
    expect((await service.call('GET', `/runs/${run.id}`)).body).toEqual(run);
  }, 60_000);

  it('CLM-6 says that the store is away and when to try again; a repeat under the same key is safe', async () => {
    const go = { configurationId: 'demo', input: 'go' };
    const { body: run } = await service.call('POST', '/runs', go, { prefer: 'wait=30' });
    const answer = { turnDigest: run.pause.turnDigest, data: { date: '2030-05-02', slot: 'morning' } };
    const key = { 'idempotency-key': 'while-it-is-away' };
    const takeWritesAgain = await store.refuseWrites();
    const refused = await Promise.all([
      service.call('POST', '/runs', go, key),
      service.call('POST', `/runs/${run.id}/input`, answer),
      service.call('POST', `/runs/${run.id}/cancel`),
    ]);
    for (const { status, headers, body } of refused) {
      expect([status, headers.get('retry-after'), body.code]).toEqual([503, '1', 'store-unavailable']);
      expect(body.correlationId).toBe(headers.get('x-request-id'));
    }
    // What is there can be read all the while.
    expect((await service.call('GET', `/runs/${run.id}`)).body).toEqual(run);
    await takeWritesAgain();

    const [started, again] = [
      await service.call('POST', '/runs', go, key),
      await service.call('POST', '/runs', go, key),
    ];
    expect([started.status, again.body.id]).toEqual([202, started.body.id]);
    const taken = await service.call('POST', `/runs/${run.id}/input`, answer, { prefer: 'wait=30' });
    expect(taken.body).toMatchObject({ submission: 'accepted', status: 'completed' });
  }, 60_000);
});
