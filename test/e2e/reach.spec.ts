import type { Answer, Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * SUB-1 on the built service: who may make which call, and on which run. Olga owns three runs: one waits, one is settled,
 * one is at work. 401 and 403 come before anything is looked up; whoever may not reach a run is told the same as of one
 * that does not exist.
 */
describe.each(STORES)('the reach of a caller on %s', (_name, open) => {
  const tokens = new Map<string, string | null>();
  const runs: Record<string, string> = { unknown: 'f'.repeat(32) };
  let store: StoreUnderTest;
  let service: Service;

  const CALLERS = {
    nobody: null,
    stranger: null,
    disabled: { kind: 'person', admin: true, grants: ['agent_approve'] },
    other: { kind: 'person' },
    owner: { kind: 'person' },
    granted: { kind: 'person', grants: ['agent_approve'] },
    admin: { kind: 'person', admin: true },
    'agent:run': { kind: 'service_account', scopes: ['agent:run'] },
    'agent:read': { kind: 'service_account', scopes: ['agent:read'] },
    'agent:approve': { kind: 'service_account', scopes: ['agent:approve'] },
    'agent:cancel': { kind: 'service_account', scopes: ['agent:cancel'] },
    unscoped: { kind: 'service_account', admin: true, grants: ['agent_approve'], scopes: [] },
  } as const;
  const NAMES = Object.keys(CALLERS);

  beforeAll(async () => {
    store = await open();
    service = await store.startNode({ HOLDPOINT_DEMO: '1' });
    for (const [name, document] of Object.entries(CALLERS)) {
      const token = document === null ? null : await service.principal(idOf(name), document);
      tokens.set(name, name === 'stranger' ? 'hp.admin.bootstrap.no-such-token-0123456789' : token);
    }
    await service.call('PUT', '/principals/disabled', { ...CALLERS.disabled, enabled: false });
    const turns = [{ delayMs: 600_000 }];
    await service.call('PUT', '/configurations/slow', { provider: { kind: 'scripted', turns }, trustZone: 'local' });
    runs.waiting = (await startAs('owner', 'demo', 30)).body.id;
    runs.settled = (await startAs('owner', 'demo', 30)).body.id;
    await service.call('POST', `/runs/${runs.settled}/cancel`);
    runs.working = (await startAs('owner', 'slow', 0)).body.id;
  }, 60_000);

  afterAll(async () => {
    await service.call('POST', `/runs/${runs.working}/cancel`);
    await store.remove();
  });

  function idOf(name: string): string {
    return name.replace(':', '-');
  }

  function callAs(name: string, method: string, path: string, body?: object, prefer = 'wait=0'): Promise<Answer> {
    return service.request(method, `/api/v1${path}`, { token: tokens.get(name) ?? null, body, headers: { prefer } });
  }

  function startAs(name: string, configurationId: string, wait: number): Promise<Answer> {
    return callAs(name, 'POST', '/runs', { configurationId, input: 'go' }, `wait=${wait}`);
  }

  /** What everybody is answered to a call, in the order of `CALLERS`. */
  async function statusesOf(method: string, path: string, body?: object): Promise<string> {
    const answers: Answer[] = [];
    for (const name of NAMES) answers.push(await callAs(name, method, path, body));
    return answers.map(({ status }) => status).join(' ');
  }

  // An answer that names no turn is refused by the rules where the run is reached, so that nothing changes.
  const answer = { turnDigest: 'none', data: {} };
  const decision = { turnDigest: 'none', approved: true };
  const finding = { callId: 'c', verdict: 'not_executed', note: 'looked it up' };

  /*   nobody str dis oth own gra adm run rea app can uns */
  it.each<[call: string, method: string, path: string, statuses: string, body?: object]>([
    ['read a waiting run', 'GET', '/runs/{waiting}', '401 401 403 404 200 200 200 403 200 200 403 403'],
    ['read a settled run', 'GET', '/runs/{settled}', '401 401 403 404 200 404 200 403 200 404 403 403'],
    ['read a run at work', 'GET', '/runs/{working}', '401 401 403 404 200 404 200 403 200 404 403 403'],
    ['read no run', 'GET', '/runs/{unknown}', '401 401 403 404 404 404 404 403 404 404 403 403'],
    ['read its events', 'GET', '/runs/{waiting}/events', '401 401 403 404 200 200 200 403 200 200 403 403'],
    ['read settled events', 'GET', '/runs/{settled}/events', '401 401 403 404 200 404 200 403 200 404 403 403'],
    ['read its pause', 'GET', '/runs/{waiting}/pause', '401 401 403 404 200 200 200 403 403 200 403 403'],
    ['list runs', 'GET', '/runs', '401 401 403 200 200 200 200 403 200 200 403 403'],
    ['list the inbox', 'GET', '/inbox', '401 401 403 200 200 200 200 403 200 200 403 403'],
    ['answer', 'POST', '/runs/{waiting}/input', '401 401 403 404 409 409 409 403 403 409 403 403', answer],
    ['answer too late', 'POST', '/runs/{settled}/input', '401 401 403 404 409 409 409 403 403 409 403 403', answer],
    ['answer no run', 'POST', '/runs/{unknown}/input', '401 401 403 404 404 404 404 403 403 404 403 403', answer],
    ['decide', 'POST', '/runs/{waiting}/approval', '401 401 403 404 409 409 409 403 403 409 403 403', decision],
    [
      'decide on no run',
      'POST',
      '/runs/{unknown}/approval',
      '401 401 403 404 404 404 404 403 403 404 403 403',
      decision,
    ],
    ['resolve', 'POST', '/runs/{waiting}/resolution', '401 401 403 403 403 403 409 403 403 403 403 403', finding],
    ['cancel too late', 'POST', '/runs/{settled}/cancel', '401 401 403 404 409 404 409 403 403 403 409 403'],
    ['cancel no run', 'POST', '/runs/{unknown}/cancel', '401 401 403 404 404 404 404 403 403 403 404 403'],
    ['start', 'POST', '/runs', '401 401 403 400 400 400 400 400 403 403 403 403', { configurationId: 'demo' }],
    ['put a configuration', 'PUT', '/configurations/c', '401 401 403 403 403 403 400 403 403 403 403 403', {}],
    ['read who it is', 'GET', '/me', '401 401 403 200 200 200 200 200 200 200 200 200'],
  ])(
    'SUB-1 is told to whoever would %s',
    async (_call, method, path, statuses, ...[body]) => {
      const named = path.replace(/\{(\w+)\}/, (_all, name: string) => runs[name] ?? '');
      expect(await statusesOf(method, named, body)).toBe(statuses);
    },
    60_000,
  );

  it('SUB-1 says of somebody else’s run, to the byte, what it says of one that does not exist', async () => {
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/events'],
      ['GET', '/pause'],
      ['POST', '/input', answer],
      ['POST', '/approval', decision],
      ['POST', '/cancel'],
    ];
    for (const [method, rest, body] of calls) {
      const seen = await Promise.all(
        ['waiting', 'settled', 'working', 'unknown'].map(async (run) => {
          const { status, headers, text } = await callAs('other', method, `/runs/${runs[run]}${rest}`, body);
          const same = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
          return JSON.stringify([status, same, text]);
        }),
      );
      expect(new Set(seen)).toEqual(new Set([expect.stringContaining('run-not-found')]));
    }
    expect((await callAs('other', 'GET', '/runs')).body.items).toEqual([]);
    expect((await callAs('other', 'GET', '/inbox')).body.items).toEqual([]);
    expect((await callAs('granted', 'GET', '/runs')).body.items).toMatchObject([{ id: runs.waiting }]);
    expect((await callAs('agent:approve', 'GET', '/inbox')).body.items).toMatchObject([{ runId: runs.waiting }]);
    expect((await callAs('agent:read', 'GET', '/runs')).body.items).toHaveLength(3);
  }, 60_000);

  it('SUB-2 SUB-5 SUB-6 takes the answer of whoever may give it, as the directory is at that moment', async () => {
    const { body: paused } = await callAs('granted', 'GET', `/runs/${runs.waiting}/pause`);
    const valid = { turnDigest: paused.turnDigest, data: { date: '2030-05-02', slot: 'morning' } };
    const submit = (name: string) => callAs(name, 'POST', `/runs/${runs.waiting}/input`, valid, 'wait=30');
    const account = await submit('agent:approve');
    expect([account.status, account.body]).toEqual([
      403,
      expect.objectContaining({ code: 'submitter-not-permitted', reason: 'service_account' }),
    ]);
    await service.call('PUT', '/principals/granted', { ...CALLERS.granted, enabled: false });
    expect((await submit('granted')).body.code).toBe('forbidden');
    await service.call('PUT', '/principals/granted', { ...CALLERS.granted, grants: [], enabled: true });
    expect((await submit('granted')).body.code).toBe('run-not-found');
    await service.call('PUT', '/principals/granted', { ...CALLERS.granted, enabled: true });
    const taken = await submit('granted');
    // Whoever has answered by a grant loses sight of the run with it.
    expect(taken).toMatchObject({ status: 202, body: { submission: 'accepted' } });
    const { body: tokensOfOwner } = await service.call('GET', '/principals/owner/tokens');
    expect((await callAs('owner', 'GET', `/runs/${runs.waiting}`)).status).toBe(200);
    await service.call('DELETE', `/principals/owner/tokens/${tokensOfOwner.items[0].tokenId}`);
    expect((await callAs('owner', 'GET', `/runs/${runs.waiting}`)).status).toBe(401);
    const { body: timeline } = await service.call('GET', `/runs/${runs.waiting}/events`);
    expect(timeline.items.filter(({ type }: { type: string }) => type === 'InputSubmitted')).toMatchObject([
      { submittedBy: 'granted', actor: { kind: 'principal', id: 'granted' } },
    ]);
  }, 60_000);
});
