import type { Answer, Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * The calls on runs as a client of the built service sees them: what is answered, with which status and which header
 * fields, and what repeats, races and an absent store change about it.
 */
describe.each(STORES)('the interface on %s', (_name, open) => {
  let store: StoreUnderTest;
  let service: Service;

  const RUN_ID = /^[0-9a-f]{32}$/;
  const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
  const DIGEST = /^[0-9a-f]{64}$/;
  const like = (pattern: RegExp) => expect.stringMatching(pattern);
  const problem = (code: string, status: number, members: object = {}) => ({
    type: `urn:holdpoint:problem:${code}`,
    title: like(/^[A-Z][a-z -]+$/),
    status,
    code,
    detail: like(/\.$/),
    ...members,
  });
  const go = { configurationId: 'demo', input: 'Arrange the delivery.' };
  const window = { date: '2030-05-02', slot: 'morning' };

  beforeAll(async () => {
    // Without erasure a settled run looks the same whenever one looks.
    const env = { HOLDPOINT_DEMO: '1', HOLDPOINT_KEEP_CONTENT_DAYS: '1' };
    store = await open();
    service = await store.startNode(env);
    const turns = [{ delayMs: 600_000 }];
    await service.call('PUT', '/configurations/slow', { provider: { kind: 'scripted', turns }, trustZone: 'local' });
  }, 60_000);

  afterAll(async () => {
    await store.remove();
  });

  async function waitingRun() {
    const { body } = await service.call('POST', '/runs', go, { prefer: 'wait=30' });
    return { path: `/runs/${body.id}`, id: body.id as string, turnDigest: body.pause.turnDigest as string, body };
  }

  it('SEA-5 LIF-1 tells a run from its start to its end, in exactly the members that are promised', async () => {
    const started = await service.call('POST', '/runs', go);
    expect([started.status, started.body]).toEqual([202, { id: like(RUN_ID), status: 'queued', revision: 0 }]);
    expect(started.headers.get('preference-applied')).toBeNull();
    expect((await service.call('GET', `/runs/${started.body.id}`)).status).toBe(200);

    const waited = await service.call('POST', '/runs', go, { prefer: 'respond-async, wait=30' });
    expect([waited.status, waited.headers.get('preference-applied')]).toEqual([200, 'wait=30']);
    const callId = waited.body.pause?.requests[0].callId;
    const requests = [{ callId, toolName: 'ask_delivery_window' }];
    const waiting = {
      id: like(RUN_ID),
      status: 'waiting_for_input',
      revision: 5,
      ownerId: 'admin',
      configurationId: 'demo',
      iterations: 2,
      usage: { inputTokens: 0, outputTokens: 0 },
      createdAt: like(TIME),
      updatedAt: like(TIME),
      pause: { kind: 'input', turnDigest: like(DIGEST), since: like(TIME), requests },
    };
    expect(waited.body).toEqual(waiting);
    const path = `/runs/${waited.body.id}`;
    expect((await service.call('GET', path)).body).toEqual(waited.body);
    const { turnDigest } = waited.body.pause;
    const pause = await service.call('GET', `${path}/pause`);
    expect([pause.status, pause.body]).toEqual([
      200,
      {
        kind: 'input',
        turnDigest,
        since: waited.body.pause.since,
        requests: [
          {
            ...requests[0],
            arguments: { orderId: '1042', date: '2020-01-01', slot: 'morning' },
            inputSchema: expect.objectContaining({ required: ['date', 'slot'] }),
          },
        ],
        otherCalls: [],
      },
    ]);
    const answered = await service.call('POST', `${path}/input`, { turnDigest, data: { ...window, more: 1 } });
    const accepted = { id: waited.body.id, status: 'queued', revision: 6, submission: 'accepted' };
    expect([answered.status, answered.body]).toEqual([202, { ...accepted, ignoredKeys: [`/${callId}/more`] }]);
    const replayed = await service.call(
      'POST',
      `${path}/input`,
      { turnDigest, answers: { [callId]: { more: 1, ...window } } },
      { prefer: 'wait=30' },
    );
    const { pause: _pause, ...rest } = waiting;
    const outcome = { reason: 'finished', truncated: false, content: 'The delivery of order 1042 is arranged.' };
    const completed = { ...rest, status: 'completed', revision: 10, iterations: 1, outcome };
    expect([replayed.status, replayed.body]).toEqual([200, { ...completed, submission: 'replayed' }]);
    expect((await service.call('GET', path)).body).toEqual(completed);
  }, 60_000);

  it('answers 202 where a run does not stand within the wait that was preferred, and a cancel at once', async () => {
    const since = Date.now();
    const started = await service.call('POST', '/runs', { ...go, configurationId: 'slow' }, { prefer: 'wait=1' });
    expect([started.status, started.headers.get('preference-applied')]).toEqual([202, 'wait=1']);
    expect(Date.now() - since).toBeGreaterThanOrEqual(990);
    expect(Object.keys(started.body).sort()).toEqual(['id', 'revision', 'status']);
    const path = `/runs/${started.body.id}`;
    const cancelled = await service.call('POST', `${path}/cancel`);
    expect([cancelled.status, cancelled.body]).toEqual([
      202,
      { id: started.body.id, status: 'cancelled', revision: expect.any(Number) },
    ]);
    expect((await service.call('GET', path)).body).toMatchObject({
      status: 'cancelled',
      revision: cancelled.body.revision,
      outcome: { reason: 'cancelled', truncated: false },
    });
    const again = await service.call('POST', `${path}/cancel`);
    expect(again.body).toEqual(problem('run-settled', 409, { runStatus: 'cancelled' }));
    const longest = await service.call('POST', '/runs', go, { prefer: 'wait=3600' });
    expect([longest.status, longest.headers.get('preference-applied')]).toEqual([200, 'wait=60']);
  }, 60_000);

  it('TRN-5 refuses each answer that cannot be taken with its own problem', async () => {
    const { path, turnDigest, body } = await waitingRun();
    const submit = async (sent: object) => (await service.call('POST', `${path}/input`, sent)).body;
    expect(await submit({ turnDigest: 'f'.repeat(64), data: window })).toEqual(
      problem('stale-turn', 409, { pause: body.pause }),
    );
    expect(await submit({ data: window })).toMatchObject({ code: 'stale-turn' });
    expect(await submit({ turnDigest, data: { slot: 'noon', floor: 1.5 } })).toEqual(
      problem('invalid-input', 422, {
        errors: expect.arrayContaining([
          { callId: body.pause.requests[0].callId, pointer: '/date', keyword: 'required', message: 'is required' },
          expect.objectContaining({ pointer: '/slot', keyword: 'enum' }),
          expect.objectContaining({ pointer: '/floor', keyword: 'type' }),
        ]),
      }),
    );
    expect(await submit({ turnDigest })).toEqual(problem('invalid-request', 400, { errors: [expect.anything()] }));
    const decided = await service.call('POST', `${path}/approval`, { turnDigest, approved: true });
    expect(decided.body).toEqual(problem('not-awaiting-approval', 409, { runStatus: 'waiting_for_input' }));
    const done = await service.call('POST', `${path}/input`, { turnDigest, data: window }, { prefer: 'wait=30' });
    expect(done.body.status).toBe('completed');
    const others = { ...window, slot: 'evening' };
    expect(await submit({ turnDigest, data: others })).toEqual(
      problem('already-answered', 409, { answeredAt: like(TIME) }),
    );
    expect(await submit({ turnDigest: 'f'.repeat(64), data: window })).toEqual(
      problem('run-settled', 409, { runStatus: 'completed' }),
    );
    expect((await service.call('GET', `${path}/pause`)).body).toEqual(problem('no-pause', 404));
    const nowhere = await service.call('POST', '/runs', { ...go, configurationId: 'gone' });
    expect([nowhere.status, nowhere.body]).toEqual([409, problem('configuration-gone', 409)]);
  }, 60_000);

  it('makes one run of twenty requests under one idempotency key at once, and knows the key for good', async () => {
    const key = { 'idempotency-key': 'order-1042/delivery' };
    const both = [key, { ...key, prefer: 'wait=30' }];
    const sent = Array.from({ length: 20 }, (_, n) => service.call('POST', '/runs', go, both[n % 2]));
    const answers = await Promise.all(sent);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 202]));
    const [id, ...more] = new Set(answers.map(({ body }) => body.id));
    expect([id, more]).toEqual([like(RUN_ID), []]);
    const { body: timeline } = await service.call('GET', `/runs/${id}/events`);
    expect(timeline.items.filter(({ type }: { type: string }) => type === 'RunStarted')).toHaveLength(1);

    const other = await service.call('POST', '/runs', { ...go, input: 'Something else.' }, key);
    expect([other.status, other.body]).toEqual([409, problem('idempotency-key-reused', 409)]);
    const olga = await service.principal('olga-of-keys', { kind: 'person' });
    const hers = await service.request('POST', '/api/v1/runs', { token: olga, body: go, headers: key });
    expect(hers.status).toBe(202);
    expect(hers.body.id).not.toBe(id);

    await service.call('POST', `/runs/${id}/cancel`);
    const late = await service.call('POST', '/runs', go, { ...key, prefer: 'wait=30' });
    expect(late.body).toMatchObject({ id, status: 'cancelled' });
  }, 60_000);

  it('leads through lists by cursors, without gaps and repeats, while runs are started', async () => {
    const turns = [{ calls: [{ toolName: 'ask_delivery_window', arguments: {} }] }];
    await service.call('PUT', '/configurations/listed', { provider: { kind: 'scripted', turns } });
    const listed = { configurationId: 'listed', input: 'go' };
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      ids.push((await service.call('POST', '/runs', listed, { prefer: 'wait=30' })).body.id);
    }
    const pagesOf = async (list: string, idOf: (item: { id: string; runId: string }) => string) => {
      const pages: string[][] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Answer = await service.call('GET', `${list}limit=3&cursor=${cursor}`);
        pages.push(page.body.items.map(idOf));
        cursor = page.body.nextCursor;
        await service.call('POST', '/runs', { ...listed, configurationId: 'demo' });
      }
      return pages;
    };
    const runs = await pagesOf('/runs?configurationId=listed&status=waiting_for_input&ownerId=&', ({ id }) => id);
    expect(runs.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(runs.flat()).toEqual([...ids].reverse());
    const inbox = (await pagesOf('/inbox?', ({ runId }) => runId)).flat();
    expect(inbox.filter((id) => ids.includes(id))).toEqual(ids);
    expect(new Set(inbox).size).toBe(inbox.length);

    const { body: item } = await service.call('GET', '/inbox?limit=1');
    expect(item.items).toEqual([
      {
        runId: like(RUN_ID),
        kind: 'input',
        toolNames: ['ask_delivery_window'],
        ownerId: expect.any(String),
        configurationId: expect.any(String),
        since: like(TIME),
        turnDigest: like(DIGEST),
      },
    ]);
    const foreign = await service.call('GET', `/runs?cursor=${item.nextCursor}`);
    expect(foreign.body).toEqual(
      problem('invalid-request', 400, { errors: [{ pointer: '/cursor', message: expect.any(String) }] }),
    );
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'status=asleep', 'more=1', 'limit=1&limit=2']) {
      expect([query, (await service.call('GET', `/runs?${query}`)).status]).toEqual([query, 400]);
    }
  }, 60_000);

  it('has a request id in every answer: the one that was given where it can be, else one of its own', async () => {
    const given = await service.call('GET', '/me', undefined, { 'x-request-id': 'order-1042:1' });
    expect(given.headers.get('x-request-id')).toBe('order-1042:1');
    const odd = await service.call('GET', '/runs/unknown', undefined, { 'x-request-id': 'a b' });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(odd.headers.get('cache-control')).toBe('no-store');
  });
});
