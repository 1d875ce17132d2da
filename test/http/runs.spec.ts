import { expectFaults, expectProblem } from './expect-problem.js';
import { ADMIN_TOKEN, HttpService } from './http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
  const ask = { callId: 'c1', toolName: 'ask', arguments: { topic: 'money' } };
  const turns = [{ text: 'a question', calls: [ask] }, { text: 'the end' }];
  await service.call('PUT', '/configurations/asking', { body: { provider: { kind: 'scripted', turns } } });
  await service.call('PUT', '/configurations/silent', { body: { provider: { kind: 'scripted', turns: [] } } });
});
afterAll(() => service.stop());

async function start(configurationId = 'asking'): Promise<string> {
  return (await service.call('POST', '/runs', { body: { configurationId, input: 'hello' } })).body.id;
}

async function waitingRun() {
  const id = await start();
  await service.work(id);
  const { turnDigest } = (await service.call('GET', `/runs/${id}/pause`)).body;
  return { id, turnDigest };
}

describe('starting a run', () => {
  it('is accepted, and the run is there to be read at once', async () => {
    const body = {
      configurationId: 'asking',
      messages: [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
      ],
      allowedTools: [],
      maxIterations: 100,
      forcedSnippetIds: [],
      forcedSkillIds: [],
      options: { temperature: 0.5, topP: 1, maxOutputTokens: 10, seed: -1 },
    };
    const answer = await service.call('POST', '/runs', { body });
    expect([answer.status, answer.body]).toEqual([
      202,
      { id: expect.stringMatching(/^[0-9a-f]{32}$/), status: 'queued', revision: 0 },
    ]);
    const { id } = answer.body;
    expect((await service.call('GET', `/runs/${id}`)).body).toMatchObject({ id, status: 'queued', ownerId: 'admin' });
    const [started] = (await service.call('GET', `/runs/${id}/events`)).body.items;
    expect(started).toMatchObject({ type: 'RunStarted', maxIterations: 20, allowedTools: [], options: body.options });
  });

  it('needs a configuration that exists', async () => {
    const body = { configurationId: 'nothing', input: 'hello' };
    expectProblem(await service.call('POST', '/runs', { body }), 'configuration-gone');
  });

  it('under an idempotency key happens once, for the same request of the same principal', async () => {
    const call = (input: string, key: string, token?: string) =>
      service.call('POST', '/runs', {
        body: { configurationId: 'asking', input },
        headers: { 'idempotency-key': key },
        ...(token && { token }),
      });
    const first = await call('a', 'key-1');
    const again = await call('a', 'key-1');
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    expectProblem(await call('b', 'key-1'), 'idempotency-key-reused');
    expect((await call('a', 'key-2')).body.id).not.toBe(first.body.id);
    const olga = await service.principal('olga', { kind: 'person' });
    expect((await call('b', 'key-1', olga)).status).toBe(202);
  });

  it.each(['', 'two words', 'x'.repeat(201)])('refuses an idempotency key that is none: %j', async (key) => {
    const headers = { 'idempotency-key': key };
    expectFaults(await service.call('POST', '/runs', { body: { configurationId: 'asking', input: 'a' }, headers }), '');
  });
});

describe('Prefer: wait', () => {
  it('answers with the run as soon as it stands', async () => {
    const { id, turnDigest } = await waitingRun();
    const { begun } = service.clock.nextLongWait();
    const answering = service.call('POST', `/runs/${id}/input`, {
      body: { turnDigest, data: { amount: 1 } },
      headers: { prefer: 'respond-async, wait=60' },
    });
    await begun;
    await service.work(id);
    const answer = await answering;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
    const run = (await service.call('GET', `/runs/${id}`)).body;
    expect(answer.body).toEqual({ ...run, submission: 'accepted' });
    expect(run).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'the end' } });
  });

  it('answers as without it when the time is up, and has changed nothing', async () => {
    const body = { configurationId: 'asking', input: 'a' };
    const answer = await service.call('POST', '/runs', { body, headers: { prefer: 'wait=1' } });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('preference-applied')).toBe('wait=1');
    expect((await service.call('GET', `/runs/${answer.body.id}`)).body.status).toBe('queued');
  });

  it('lets a repeat wait for what the first asked for', async () => {
    const { id, turnDigest } = await waitingRun();
    const body = { turnDigest, data: { amount: 1 } };
    await service.call('POST', `/runs/${id}/input`, { body });
    await service.work(id);
    const answer = await service.call('POST', `/runs/${id}/input`, { body, headers: { prefer: 'wait=5' } });
    expect(answer.body).toMatchObject({ status: 'completed', submission: 'replayed' });
  });

  it('ends when the client is gone, and what was accepted stays so', async () => {
    const { id, turnDigest } = await waitingRun();
    const { begun, over } = service.clock.nextLongWait();
    const gone = new AbortController();
    const answering = fetch(`${service.address}/api/v1/runs/${id}/input`, {
      method: 'POST',
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'content-type': 'application/json',
        prefer: 'wait=60',
      },
      body: JSON.stringify({ turnDigest, data: { amount: 1 } }),
    });
    await begun;
    gone.abort();
    await expect(answering).rejects.toThrow();
    await over;
    expect((await service.call('GET', `/runs/${id}`)).body.status).toBe('queued');
  });
});

describe('a run that waits', () => {
  it('INP-12 shows its whole request to whoever may answer, however often', async () => {
    const { id, turnDigest } = await waitingRun();
    const { pause } = (await service.call('GET', `/runs/${id}`)).body;
    expect(pause).toEqual({
      kind: 'input',
      turnDigest,
      since: expect.stringMatching(/Z$/),
      requests: [{ callId: 'c1', toolName: 'ask' }],
    });
    for (let times = 0; times < 2; times += 1) {
      expect((await service.call('GET', `/runs/${id}/pause`)).body).toEqual({
        ...pause,
        requests: [
          {
            callId: 'c1',
            toolName: 'ask',
            arguments: { topic: 'money' },
            inputSchema: expect.objectContaining({ required: ['amount'] }),
          },
        ],
        otherCalls: [],
      });
    }
    const { items } = (await service.call('GET', '/inbox')).body;
    expect(items).toContainEqual({
      runId: id,
      kind: 'input',
      toolNames: ['ask'],
      ownerId: 'admin',
      configurationId: 'asking',
      since: pause.since,
      turnDigest,
    });
  });

  it('INP-12 has a form for other front ends, which can always be fetched again', async () => {
    const { id, turnDigest } = await waitingRun();
    for (const _again of [1, 2]) {
      const { body, text } = await service.call('GET', `/runs/${id}/form`);
      expect(body).toMatchObject({ turnDigest, requests: [{ callId: 'c1', toolName: 'ask' }] });
      expect(body.requests[0].form.control.fields).toMatchObject([
        { pointer: '/c1/amount', required: true, control: { kind: 'number', whole: true, text: '' } },
        { pointer: '/c1/note', required: false, control: { kind: 'text' } },
      ]);
      expect(text).not.toContain('money');
    }
    expectProblem(await service.call('GET', `/runs/${await start()}/form`), 'no-pause');
  });

  it('has no pause when it does not wait', async () => {
    expectProblem(await service.call('GET', `/runs/${await start()}/pause`), 'no-pause');
  });

  it('INP-3 an invalid answer is told what is wrong with it, and changes nothing', async () => {
    const { id, turnDigest } = await waitingRun();
    const before = (await service.call('GET', `/runs/${id}`)).body;
    const answer = await service.call('POST', `/runs/${id}/input`, { body: { turnDigest, data: { amount: 'much' } } });
    expectProblem(answer, 'invalid-input', {
      errors: [{ callId: 'c1', pointer: '/amount', keyword: 'type', message: expect.any(String) }],
    });
    expect(answer.text).not.toContain('much');
    expect((await service.call('GET', `/runs/${id}`)).body).toEqual(before);
    expect(
      (await service.call('POST', `/runs/${id}/input`, { body: { turnDigest, data: { amount: 0 } } })).status,
    ).toBe(202);
  });

  it('TRN-5 tells the outcomes of an answer apart', async () => {
    const { id, turnDigest } = await waitingRun();
    const gina = await service.principal('gina', { kind: 'person', grants: ['agent_approve'] });
    const submit = (data: object, digest = turnDigest, token?: string) =>
      service.call('POST', `/runs/${id}/input`, { body: { turnDigest: digest, data }, ...(token && { token }) });
    const { pause } = (await service.call('GET', `/runs/${id}`)).body;
    expectProblem(await submit({ amount: 1 }, 'f'.repeat(64)), 'stale-turn', { pause });
    const accepted = await submit({ amount: 1, surplus: 2 });
    expect([accepted.status, accepted.body]).toEqual([
      202,
      { id, status: 'queued', revision: 4, submission: 'accepted', ignoredKeys: ['/c1/surplus'] },
    ]);
    const replayed = await submit({ amount: 1, surplus: 2 });
    expect([replayed.status, replayed.body.submission]).toEqual([202, 'replayed']);
    expectProblem(await submit({ amount: 2 }), 'already-answered', { answeredAt: expect.stringMatching(/Z$/) });
    expectProblem(await submit({ amount: 1 }, 'f'.repeat(64)), 'not-awaiting-input', { runStatus: 'queued' });
    await service.work(id);
    expect((await submit({ amount: 1, surplus: 2 })).body).toMatchObject({
      submission: 'replayed',
      status: 'completed',
    });
    expectProblem(await submit({ amount: 1 }, 'f'.repeat(64)), 'run-settled', { runStatus: 'completed' });
    expectProblem(await submit({ amount: 1, surplus: 2 }, turnDigest, gina), 'already-answered', {
      answeredAt: expect.any(String),
    });
  });

  it('SUB-5 cannot be answered by a service account, and says why', async () => {
    const { id, turnDigest } = await waitingRun();
    const robot = await service.principal('robot', { kind: 'service_account', scopes: ['agent:approve'] });
    const answer = await service.call('POST', `/runs/${id}/input`, {
      token: robot,
      body: { turnDigest, data: { amount: 1 } },
    });
    expectProblem(answer, 'submitter-not-permitted', { toolName: 'ask', reason: 'service_account' });
  });

  it('cannot be answered once its configuration is gone', async () => {
    const turns = [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }];
    await service.call('PUT', '/configurations/fleeting', { body: { provider: { kind: 'scripted', turns } } });
    const id = await start('fleeting');
    await service.work(id);
    const { turnDigest } = (await service.call('GET', `/runs/${id}/pause`)).body;
    await service.call('DELETE', '/configurations/fleeting');
    const body = { turnDigest, data: { amount: 1 } };
    expectProblem(await service.call('POST', `/runs/${id}/input`, { body }), 'configuration-gone');
  });
});

describe('cancelling', () => {
  it('LIF-6 is accepted at once, and only once', async () => {
    const { id, turnDigest } = await waitingRun();
    const cancelled = await service.call('POST', `/runs/${id}/cancel`);
    expect([cancelled.status, cancelled.body]).toEqual([202, { id, status: 'cancelled', revision: 4 }]);
    expect((await service.call('GET', `/runs/${id}`)).body).toMatchObject({
      status: 'cancelled',
      outcome: { reason: 'cancelled', truncated: false },
    });
    expectProblem(await service.call('POST', `/runs/${id}/cancel`), 'run-settled', { runStatus: 'cancelled' });
    const body = { turnDigest, data: { amount: 1 } };
    expectProblem(await service.call('POST', `/runs/${id}/input`, { body }), 'run-settled', { runStatus: 'cancelled' });
  });
});

describe('lists', () => {
  it('come in pages that a cursor leads through, without gaps and repeats', async () => {
    const token = await service.principal('paul', { kind: 'person' });
    const body = { configurationId: 'silent', input: 'a' };
    const started: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      started.unshift((await service.call('POST', '/runs', { body, token })).body.id);
    }
    const seen: string[] = [];
    let query = '?limit=2';
    for (let pages = 0; query !== '' && pages < 5; pages += 1) {
      const page = (await service.call('GET', `/runs${query}`, { token })).body;
      seen.push(...page.items.map(({ id }: { id: string }) => id));
      query = page.nextCursor === null ? '' : `?limit=2&cursor=${page.nextCursor}`;
    }
    expect(seen).toEqual(started);
    const chosen = (await service.call('GET', '/runs?status=queued&ownerId=paul&configurationId=silent', { token }))
      .body;
    expect(chosen.items).toHaveLength(5);
    expect((await service.call('GET', '/runs?status=completed', { token })).body.items).toEqual([]);
  });

  it('a cursor of one list is refused by another', async () => {
    const { nextCursor } = (await service.call('GET', '/runs?limit=1')).body;
    expectFaults(await service.call('GET', `/inbox?cursor=${nextCursor}`), '/cursor');
  });

  it('SEA-5 hold no word of what was said', async () => {
    const { id } = await waitingRun();
    for (const path of ['/runs', '/inbox', `/runs/${id}`, `/runs/${id}/events`]) {
      expect((await service.call('GET', path)).text).not.toMatch(/hello|a question|money/);
    }
  });
});

describe('the timeline', () => {
  it('is every event in order, from where it is asked for', async () => {
    const { id } = await waitingRun();
    const types = async (query: string) =>
      (await service.call('GET', `/runs/${id}/events${query}`)).body.items.map(({ type }: { type: string }) => type);
    expect(await types('')).toEqual(['RunStarted', 'RunClaimed', 'ModelResponded', 'RunSuspendedForInput']);
    expect(await types('?after=1')).toEqual(['ModelResponded', 'RunSuspendedForInput']);
    expect(await types('?after=3')).toEqual([]);
    const page = (await service.call('GET', `/runs/${id}/events?limit=3`)).body;
    expect([page.items.length, page.nextCursor]).toEqual([3, '2']);
    expect(await types(`?limit=3&after=${page.nextCursor}`)).toEqual(['RunSuspendedForInput']);
    for (const query of ['?after=x', '?after=-1', '?limit=0', '?limit=1001']) {
      expect((await service.call('GET', `/runs/${id}/events${query}`)).status).toBe(400);
    }
  });
});
