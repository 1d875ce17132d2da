import { basename } from 'node:path';
import { compileOnBuild } from '../support/compiled-processes.js';
import { formsOf, PlantedWord } from '../support/content-search.js';
import { filesIn } from '../support/data-folder.js';
import { OpenAIServer } from '../support/openai-server.js';
import { rawAnswer } from '../support/raw-http.js';
import { refusedRequests } from '../support/refused-requests.js';
import { scratchFolder } from '../support/scratch-folder.js';
import type { Answer, Request, Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';
import { wordyTurns } from '../support/wordy-turns.js';

/*
 * A word that occurs nowhere else is put wherever content can be: prompts, messages, model text, arguments, submissions,
 * results, errors, headers, addresses. Then every byte that the service wrote or said is searched for it.
 */
describe.each(STORES)('content, with the log on %s,', (_name, open) => {
  const word = new PlantedWord();
  let store: StoreUnderTest;
  const compiled = scratchFolder();
  let program: string;
  let provider: OpenAIServer;
  let service: Service;
  /** What was printed by the processes that have ended. */
  let printed = '';
  /** Every answer that is not meant to return content, as it came: headers and body. */
  const answers: string[] = [];

  async function start(): Promise<void> {
    const env = {
      HOLDPOINT_LOG_LEVEL: 'trace',
      HOLDPOINT_PROVIDER_KEY_TEST: word.at('provider-key'),
      // What a run worked with goes when it is settled, as it does unless an operator wants to look back.
      HOLDPOINT_KEEP_CONTENT_DAYS: '0',
      // So that what a killed worker held comes back while somebody looks.
      HOLDPOINT_LEASE_SECONDS: '3',
    };
    service = await store.startNode(env, { program, node: 0 });
  }

  async function end(how: 'stop' | 'kill'): Promise<void> {
    await service[how]();
    printed += service.output;
  }

  /** A call whose answer must hold none of the content; a pointer may name a place in what was sent. */
  async function call(method: string, path: string, request: Request = {}): Promise<Answer> {
    const answer = await service.request(method, path, request);
    const text = answer.text.replaceAll(/"pointer":"[^"]*"/g, '');
    answers.push(`${JSON.stringify([...answer.headers])}${text}`);
    return answer;
  }

  /** Of a call that is meant to return content. */
  function read(method: string, path: string, body?: unknown): Promise<Answer> {
    return service.request(method, `/api/v1${path}`, { body, headers: { prefer: 'wait=30' } });
  }

  const configured = async (id: string, provider: object) =>
    expect([200, 201]).toContain(
      (await read('PUT', `/configurations/${id}`, { provider, trustZone: 'local', systemPrompt: word.at('system') }))
        .status,
    );

  /** Starts a run and has it wait; its id and the digest of its turn. */
  async function pausedRun(configurationId: string, key: string) {
    const messages = ['user', 'system', 'assistant'].map((role) => ({ role, content: word.at(`message-${role}`) }));
    const started = await call('POST', '/api/v1/runs', {
      body: { configurationId, messages },
      headers: { prefer: 'wait=30', 'idempotency-key': word.at(key) },
    });
    expect(started.body.status).toBe('waiting_for_input');
    return { path: `/runs/${started.body.id}`, turnDigest: started.body.pause.turnDigest as string };
  }

  const noteOf = (name: string) => ({ note: word.at(name), amount: 7 });

  beforeAll(async () => {
    store = await open();
    program = compileOnBuild(compiled.path, 'service-with-probe-tools');
    provider = await OpenAIServer.start((_request, index) => {
      if (index === 0) {
        const calls = [{ id: word.at('id').slice(0, 3), function: { name: 'echo', arguments: '{"text":"x"}' } }];
        return { kind: 'completion', text: word.at('provider-text'), calls };
      }
      const body = `{"error":{"message":"${word.at('provider-error')}"}}`;
      const headers = { 'x-trouble': word.at('provider-header'), 'content-type': 'application/json' };
      return { kind: 'raw', status: index === 1 ? 400 : 503, reason: word.at('reason'), headers, body };
    });
    await start();
    await configured('scripted', { kind: 'scripted', turns: wordyTurns('scripted', (place) => word.at(place)) });
    const { baseUrl } = provider;
    const apiKeyEnv = 'HOLDPOINT_PROVIDER_KEY_TEST';
    await configured('served', { kind: 'openai-compatible', baseUrl, model: 'm', apiKeyEnv });
    const holding = [{ callId: 'c_hold', toolName: 'hold', arguments: { text: word.at('held') } }];
    await configured('holding', { kind: 'scripted', turns: [{ text: word.at('holding-text'), calls: holding }] });
    const writing = [{ ...holding[0], toolName: 'hold_write' }];
    await configured('holding-write', { kind: 'scripted', turns: [{ calls: writing }, { text: word.at('resolved') }] });
  }, 60_000);

  afterAll(async () => {
    await store.remove();
    await provider.close();
    compiled.remove();
  });

  async function expectNowhere(): Promise<void> {
    await expectNotStored();
    expect(word.findIn(Buffer.from(printed + service.output))).toEqual([]);
    expect(answers.flatMap((answer) => word.findIn(Buffer.from(answer)))).toEqual([]);
  }

  /** Neither in a file, nor in a log that is elsewhere. */
  async function expectNotStored(): Promise<void> {
    expect(word.findInFolder(store.folder)).toEqual([]);
    for (const bytes of (await store.logAndKeys()).values()) expect(word.findIn(bytes)).toEqual([]);
  }

  it('is found by the search in every form, where it is', () => {
    const forms = [...formsOf(word.at('').slice(0, -1))];
    for (const [form, bytes] of forms) {
      const found = word.findIn(Buffer.concat([Buffer.from('some '), bytes, Buffer.from(' more')]));
      expect(found).toContainEqual(expect.stringContaining(`${form}: `));
    }
    for (const before of ['', 'a', 'ab', 'abc']) {
      expect(word.findIn(Buffer.from(btoa(`${before}${word.at('x')}`)))).not.toEqual([]);
      expect(word.findIn(Buffer.from(JSON.stringify({ [before]: word.at('x') })))).not.toEqual([]);
    }
  });

  it('SEA-1 INP-11 SEA-5 SEA-3 is nowhere while a run that calls, fails and asks goes from its start to its end', async () => {
    const { path, turnDigest } = await pausedRun('scripted', 'key-of-start');
    const { body: pause } = await read('GET', `${path}/pause`);
    expect(JSON.stringify(pause)).toContain(word.at('topic'));
    await expectNowhere();

    const faults = [
      { data: { note: 7, amount: word.at('not-a-number') } },
      { data: { note: word.at('too-long').padEnd(3_000, 'x'), amount: 101 } },
      { data: { [word.at('undeclared-name')]: word.at('undeclared') } },
      { data: word.at('no-object') },
      { data: [word.at('list')] },
      { answers: { [word.at('call-id')]: noteOf('other-call'), c_note: { note: null } } },
      { answers: word.at('answers') },
    ];
    for (const values of faults) {
      const refused = await call('POST', `/api/v1${path}/input`, { body: { turnDigest, ...values } });
      expect([refused.status, refused.body.code]).toEqual([422, 'invalid-input']);
    }
    for (const body of unreadableBodies(turnDigest)) {
      expect((await call('POST', `/api/v1${path}/input`, { body })).status).toBe(400);
    }
    const stale = await call('POST', `/api/v1${path}/input`, {
      body: { turnDigest: word.at('digest'), data: noteOf('on-another-turn') },
    });
    expect(stale.body.code).toBe('stale-turn');
    await expectNowhere();

    const submission = { turnDigest, data: { ...noteOf('submitted'), undeclared: word.at('dropped') } };
    const taken = await read('POST', `${path}/input`, submission);
    expect(taken.body).toMatchObject({
      submission: 'accepted',
      status: 'completed',
      ignoredKeys: ['/c_note/undeclared'],
      outcome: { content: word.at('scripted-final') },
    });
    const { outcome: _content, ...others } = taken.body;
    answers.push(JSON.stringify(others));
    expect((await read('POST', `${path}/input`, submission)).body.submission).toBe('replayed');
    const late = await call('POST', `/api/v1${path}/input`, { body: { turnDigest, data: noteOf('too-late') } });
    expect(late.body.code).toBe('already-answered');
    expect((await call('GET', `/api/v1${path}/events`)).body.items.length).toBeGreaterThan(10);
    await call('GET', '/api/v1/runs');
    await expectNowhere();

    // SEA-3: what the run worked with goes when it is settled; what it came to is kept for its time.
    await untilThereIs('RunContentErased', `/api/v1${path}`);
    const { body: kept } = await read('GET', path);
    expect([kept.erased, kept.outcome.content]).toEqual([{ working: true, outcome: false }, word.at('scripted-final')]);
    expect((await read('POST', `${path}/input`, submission)).body.submission).toBe('replayed');
  }, 60_000);

  /** Bodies that are refused before any rule is asked. */
  function unreadableBodies(turnDigest: string): string[] {
    return [
      `{"turnDigest":"${turnDigest}","data":{"note":"${word.at('syntax')}"`,
      `{"turnDigest":"${turnDigest}","data":{"${word.at('twice')}":"${word.at('one')}","${word.at('twice')}":1}}`,
      `{"turnDigest":"${turnDigest}","data":{"note":"${word.at('surrogate')}\\ud800"}}`,
      `{"turnDigest":"${turnDigest}","data":{"note":"${word.at('integer')}","amount":9007199254740993}}`,
      JSON.stringify({ turnDigest, data: {}, more: word.at('unknown-member') }),
      JSON.stringify({ turnDigest, data: {}, answers: word.at('both') }),
      JSON.stringify(word.at('bare-text')),
    ];
  }

  it('SEA-1 is nowhere while a run waits for approval of a write that has a preview, and is approved or denied', async () => {
    const calls = [{ toolName: 'write_note', arguments: { text: word.at('written') } }];
    await configured('writing', { kind: 'scripted', turns: [{ text: word.at('writing-text'), calls }] });
    const run = await waitingForApproval('writing');
    const { body: pause } = await read('GET', `/runs/${run.id}/pause`);
    expect(pause.requests[0]).toMatchObject({ preview: [`Writes down: ${word.at('written')}`] });
    expect((await call('GET', '/api/v1/inbox')).body.items).toHaveLength(1);
    await expectNowhere();
    const decide = (decision: object) =>
      call('POST', `/api/v1/runs/${run.id}/approval`, { body: { turnDigest: pause.turnDigest, ...decision } });
    expect((await decide({ approved: word.at('approved'), comment: [word.at('comment-list')] })).status).toBe(400);
    expect((await decide({ approved: true, comment: word.at('comment') })).body.submission).toBe('accepted');
    const denied = await waitingForApproval('writing');
    const { body: done } = await read('POST', `/runs/${denied.id}/approval`, {
      turnDigest: denied.pause.turnDigest,
      approved: false,
      comment: word.at('no-because'),
    });
    expect(done.status).toBe('completed');
    await expectNowhere();
  }, 60_000);

  async function waitingForApproval(configurationId: string) {
    const body = { configurationId, input: word.at('write') };
    const { body: run } = await call('POST', '/api/v1/runs', { body, headers: { prefer: 'wait=30' } });
    expect(run.status).toBe('waiting_for_approval');
    return run;
  }

  it('SEA-1 LIF-4 is nowhere while a provider answers with errors, and the run fails or comes back', async () => {
    const failing = await call('POST', '/api/v1/runs', {
      body: { configurationId: 'served', input: word.at('input'), options: { seed: 1 } },
      headers: { prefer: 'wait=30' },
    });
    expect(failing.body).toMatchObject({ status: 'failed', outcome: { reason: 'not_retryable' } });
    expect(provider.requests[0]?.headers.authorization).toBe(`Bearer ${word.at('provider-key')}`);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain(word.at('system'));
    const asked = provider.nextRequest();
    const retried = await call('POST', '/api/v1/runs', {
      body: { configurationId: 'served', input: word.at('input') },
    });
    await (await asked).gone;
    await call('POST', `/api/v1/runs/${retried.body.id}/cancel`);
    await expectNowhere();
  }, 60_000);

  it('INP-11 is nowhere in what is said to requests that the interface refuses', async () => {
    for (const [status, method, path, request] of refusedRequests((place) => word.at(place))) {
      const answer = await call(method, path, request);
      expect([path, answer.status]).toEqual([path, status]);
    }
    answers.push(
      await rawAnswer(service.address, `GET /${word.at('raw')} HTTP/1.1\r\nHost ${word.at('header')}\r\n\r\n`),
    );
    answers.push(
      await rawAnswer(
        service.address,
        `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${word.at('overflow').repeat(2_000)}\r\n\r\n`,
      ),
    );
    await expectNowhere();
  }, 60_000);

  it('SEA-1 LIF-6 CLM-4 is nowhere after a cancelled tool, a kill in a write, a restart and what is answered then', async () => {
    const { path, turnDigest } = await pausedRun('scripted', 'key-of-restart');
    const held = await call('POST', '/api/v1/runs', { body: { configurationId: 'holding', input: word.at('hold') } });
    const holding = `/api/v1/runs/${held.body.id}`;
    await untilThereIs('ModelResponded', holding);
    expect((await call('POST', `${holding}/cancel`)).status).toBe(202);
    const write = await waitingForApproval('holding-write');
    const writing = `/api/v1/runs/${write.id}`;
    const approval = { turnDigest: write.pause.turnDigest, approved: true, comment: word.at('go-on') };
    expect((await call('POST', `${writing}/approval`, { body: approval })).status).toBe(202);
    await untilThereIs('ToolCallStarted', writing);

    await end('kill');
    // As the kill left it, in the middle of whatever was being written.
    if (store.inFolder) expect(filesIn(store.folder)).toContain('events.sqlite-wal');
    await expectNotStored();
    await start();
    const { body } = await read('POST', `${path}/input`, { turnDigest, data: noteOf('after-restart') });
    expect(body).toMatchObject({ submission: 'accepted', status: 'completed' });
    await untilThereIs('RunSuspendedForResolution', writing);
    const finding = {
      callId: 'c_hold',
      verdict: 'executed',
      result: { found: word.at('found') },
      note: word.at('note'),
    };
    expect((await call('POST', `${writing}/resolution`, { body: { ...finding, verdict: 'fail' } })).status).toBe(400);
    expect((await call('POST', `${writing}/resolution`, { body: finding })).status).toBe(202);
    await untilThereIs('RunCompleted', writing);
    await end('stop');
    await start();
    expect((await call('GET', '/api/v1/inbox')).body.items).toEqual([]);
    await call('GET', '/metrics', { token: null });
    await expectNowhere();
    const searched = filesIn(store.folder).map((file) => basename(file));
    expect(searched).toEqual(expect.arrayContaining(['due.sqlite', 'read-models.sqlite', 'subscribers.sqlite']));
    if (store.inFolder)
      expect(searched).toEqual(expect.arrayContaining(['events.sqlite', 'keys.sqlite', 'master.key']));
    expect(Buffer.concat([...(await store.logAndKeys()).values()]).includes('RunSuspendedForResolution')).toBe(true);
    // What is printed is what one wants to know: the search did not look at nothing.
    expect(printed).toContain(held.body.id);
    expect(printed).toContain('"msg":"the tool failed"');
  }, 60_000);

  it('INP-11 is nowhere when a tool brings the whole process down', async () => {
    const calls = [{ toolName: 'strand', arguments: { text: word.at('stranded') } }];
    await configured('stranding', { kind: 'scripted', turns: [{ calls }] });
    await call('POST', '/api/v1/runs', { body: { configurationId: 'stranding', input: word.at('strand') } });
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    expect(service.output).toMatch(/^The service ended: Error\.\n {2}at .*StrandTool/m);
    await expectNowhere();
  }, 60_000);

  async function untilThereIs(type: string, path: string): Promise<void> {
    for (;;) {
      const { body } = await call('GET', `${path}/events`);
      if (body.items.some((event: { type: string }) => event.type === type)) return;
    }
  }
});
