import { request as httpRequest } from 'node:http';
import { compileOnBuild } from '../support/compiled-processes.js';
import { OpenAIServer, type Received, type Reply } from '../support/openai-server.js';
import { rawAnswer } from '../support/raw-http.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { ADMIN_TOKEN, type Answer, type Request, type Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * More than the service takes, of every kind: each is refused with its reason, and while it is looked at others are
 * answered.
 */
describe.each(STORES)('the bounds of the service on %s', (_name, open) => {
  let store: StoreUnderTest;
  const compiled = scratchFolder();
  let service: Service;
  let server: OpenAIServer;
  let reply: Reply;
  const asked: Received[] = [];

  const BODY_BYTES = 256 * 1024;
  const PATIENCE_MS = 10_000;

  beforeAll(async () => {
    server = await OpenAIServer.start((request) => {
      asked.push(request);
      return asked.length > 1 ? { kind: 'completion', text: 'I see' } : reply;
    });
    const program = compileOnBuild(compiled.path, 'service-with-probe-tools');
    store = await open();
    service = await store.startNode({}, { program });
    for (const toolName of ['ask_anything', 'ask_code']) {
      const turns = [{ calls: [{ callId: 'c', toolName, arguments: {} }] }];
      await service.call('PUT', `/configurations/${toolName}`, {
        provider: { kind: 'scripted', turns },
        trustZone: 'local',
      });
    }
    const { baseUrl } = server;
    const provider = { kind: 'openai-compatible', baseUrl, model: 'm' };
    await service.call('PUT', '/configurations/served', { provider, trustZone: 'local' });
  }, 60_000);

  afterAll(async () => {
    await store.remove();
    await server.close();
    compiled.remove();
  });

  /** What calls come to, all at once, while others are answered again and again, each in bounded time. */
  async function whileOthersAreAnswered<Came>(...calls: readonly (() => Promise<Came>)[]): Promise<Came[]> {
    let open = true;
    const all = Promise.all(calls.map((call) => call())).finally(() => {
      open = false;
    });
    do {
      const since = Date.now();
      const [live, list] = await Promise.all([
        service.request('GET', '/health/live', { token: null }),
        service.call('GET', '/runs?limit=1'),
      ]);
      expect([live.status, list.status]).toEqual([200, 200]);
      expect(Date.now() - since).toBeLessThan(PATIENCE_MS);
    } while (open);
    return all;
  }

  async function refusal(method: string, path: string, request: Request): Promise<Answer> {
    const [answer] = await whileOthersAreAnswered(() => service.request(method, `/api/v1${path}`, request));
    expect(answer?.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
    return answer as Answer;
  }

  async function pausedRun(configurationId: string) {
    const { body } = await service.call('POST', '/runs', { configurationId, input: 'go' }, { prefer: 'wait=30' });
    expect(body.status).toBe('waiting_for_input');
    return { path: `/runs/${body.id}`, turnDigest: body.pause.turnDigest as string, revision: body.revision as number };
  }

  /** A run on a model that answers so, and then sees what came of it. */
  async function served(first: Reply) {
    asked.length = 0;
    reply = first;
    const started = { configurationId: 'served', input: 'go' };
    const [run] = await whileOthersAreAnswered(() => service.call('POST', '/runs', started, { prefer: 'wait=30' }));
    return run?.body;
  }

  const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

  it('takes a body of 256 KiB and refuses one more byte, also where no length was announced', async () => {
    const frame = JSON.stringify({ configurationId: 'ask_code', input: '' });
    const whole = (bytes: number) => frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    const [largest] = await whileOthersAreAnswered(() => service.call('POST', '/runs', whole(BODY_BYTES)));
    expect(largest?.status).toBe(202);
    const tooLarge = await refusal('POST', '/runs', { body: whole(BODY_BYTES + 1) });
    expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 'payload-too-large']);
    const [unannounced] = await whileOthersAreAnswered(() => answerToChunks(whole(BODY_BYTES + 1)));
    expect(unannounced).toBe(413);
  }, 60_000);

  /** The status of a request whose body comes in pieces. */
  function answerToChunks(body: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
      const sent = httpRequest(`${service.address}/api/v1/runs`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      for (let at = 0; at < body.length; at += 50_000) sent.write(body.slice(at, at + 50_000));
      sent.end();
    });
  }

  it('passes over the body of a request that reads, and goes on with the connection', async () => {
    const body = '{"not":"read"}';
    const head = `Host: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n`;
    const first = `GET /api/v1/me HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}`;
    const second = `GET /api/v1/tools HTTP/1.1\r\n${head}Connection: close`;
    const answers = await rawAnswer(service.address, `${first}\r\n\r\n${body}${second}\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(answers).toContain('"id":"admin"');
    expect(answers).toContain('"name":"ask_anything"');
  }, 60_000);

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/vnd.api+json'],
    [''],
  ])('refuses a body that is sent as "%s"', async (type) => {
    const body = '{"configurationId":"ask_code","input":"go"}';
    const { status, body: problem } = await refusal('POST', '/runs', { body, headers: { 'content-type': type } });
    expect([status, problem.code]).toEqual([415, 'unsupported-media-type']);
  });

  it('INP-4 refuses a body that is not UTF-8', async () => {
    const body = Buffer.from('{"turnDigest":"x","data":{"value":"\u00fc"}}', 'latin1');
    const { status, body: problem } = await refusal('POST', '/runs/none/input', { body });
    expect([status, problem.errors]).toEqual([400, [{ pointer: '', message: 'is not UTF-8' }]]);
  });

  it.each([
    ['a name that occurs twice', '{"value":1,"value":1}', '/data/value', /twice/],
    ['half a surrogate pair', '{"value":"\\udc00"}', '/data/value', /surrogate/],
    ['an integer beyond 2^53', '{"value":9007199254740992}', '/data/value', /2\^53/],
    ['10,000 levels', `{"value":${nested(10_000)}}`, '', /nested too deeply/],
    ['no JSON', '{"value":NaN}', '', /not JSON/],
  ])('INP-4 refuses a body with %s, before any rule is asked', async (_what, posted, pointer, message) => {
    const body = `{"turnDigest":"x","data":${posted}}`;
    const { status, body: problem } = await refusal('POST', '/runs/none/input', { body });
    expect([status, problem.code]).toEqual([400, 'invalid-request']);
    expect(problem.errors).toEqual([{ pointer, message: expect.stringMatching(message) }]);
  });

  it('INP-3 INP-4 refuses answers that are too deep, too many or against the schema, and still waits', async () => {
    const { path, turnDigest, revision } = await pausedRun('ask_anything');
    const answer = (data: string) =>
      refusal('POST', `${path}/input`, { body: `{"turnDigest":"${turnDigest}","data":${data}}` });
    const faultsOf = async (data: string) => {
      const { status, body } = await answer(data);
      expect([status, body.code]).toEqual([422, 'invalid-input']);
      return body;
    };
    expect((await faultsOf(`{"value":${nested(100)}}`)).errors).toMatchObject([{ keyword: 'maxDepth' }]);
    const many = JSON.stringify(Array.from({ length: 5_001 }, () => 0));
    expect((await faultsOf(`{"value":${many}}`)).errors).toMatchObject([{ keyword: 'maxNodes' }]);
    expect((await faultsOf(`{"value":1,"names":${JSON.stringify(Array(300).fill(0))}}`)).errors).toHaveLength(200);
    expect(await faultsOf(`{"value":1,"names":${JSON.stringify(Array(300).fill(0))}}`)).toMatchObject({
      truncated: true,
    });
    expect((await answer(`{"value":"${'x'.repeat(300_000)}"}`)).status).toBe(413);

    const { body: run } = await service.call('GET', path);
    expect([run.status, run.revision]).toEqual(['waiting_for_input', revision]);
    const last = JSON.stringify({ turnDigest, data: { value: Array(4_990).fill('x') } });
    const taken = await service.call('POST', `${path}/input`, last, { prefer: 'wait=30' });
    expect(taken.body).toMatchObject({ submission: 'accepted', status: 'completed' });
  }, 60_000);

  it('INP-4 judges in bounded time what would take a backtracking engine for ever', async () => {
    const { path, turnDigest } = await pausedRun('ask_code');
    const body = { turnDigest, data: { code: `${'a'.repeat(40)}b` } };
    const { status, body: problem } = await refusal('POST', `${path}/input`, { body });
    expect(status).toBe(422);
    expect(problem.errors).toMatchObject([{ callId: 'c', pointer: '/code', keyword: 'pattern' }]);
    const longest = { turnDigest, data: { code: `${'a'.repeat(200_000)}b` } };
    expect((await refusal('POST', `${path}/input`, { body: longest })).status).toBe(422);
    const right = { turnDigest, data: { code: 'a'.repeat(200_000) } };
    const taken = await service.call('POST', `${path}/input`, right, { prefer: 'wait=30' });
    expect(taken.body).toMatchObject({ submission: 'accepted', status: 'completed' });
  }, 60_000);

  it('answers others while a hundred refusals are worked on at once', async () => {
    const { path, turnDigest } = await pausedRun('ask_anything');
    const body = JSON.stringify({ turnDigest, data: { value: Array(60_000).fill(1) } });
    const calls = Array.from({ length: 100 }, () => () => service.call('POST', `${path}/input`, body));
    const refused = await whileOthersAreAnswered(...calls);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([422]));
  }, 60_000);

  it('LIF-4 cuts a result at 128 KiB, where the model can see it', async () => {
    const pour = { id: 'p', function: { name: 'pour', arguments: '{"characters":50000}' } };
    const run = await served({ kind: 'completion', calls: [pour] });
    expect(run.status).toBe('completed');
    const result = String(asked[1]?.body.messages.at(-1)?.content);
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(128 * 1024);
    expect(result).toMatch(/^€{43000,}\n\[cut: the result had 150000 bytes\]$/);
  }, 60_000);

  it('INP-10 ends a run whose event would be too large, with the reason, and tells nobody to answer', async () => {
    const text = 'x'.repeat(600_000);
    const spoken = await served({ kind: 'completion', text });
    expect(spoken).toMatchObject({ status: 'failed', outcome: { reason: 'provider_failed' } });
    const call = { id: 'c', function: { name: 'ask_anything', arguments: JSON.stringify({ names: [text] }) } };
    const paused = await served({ kind: 'completion', calls: [call] });
    expect(paused).toMatchObject({ status: 'failed', outcome: { reason: 'suspend_failed' } });
    const { body } = await service.call('GET', '/inbox');
    expect(body.items.map((item: { runId: string }) => item.runId)).not.toContain(paused.id);
  }, 60_000);

  it('LIF-4 INP-4 shows the model an error for arguments that nobody can read, and refuses 65 calls at once', async () => {
    const deep = { id: 'd', function: { name: 'echo', arguments: `{"text":${nested(10_000)}}` } };
    expect(await served({ kind: 'completion', calls: [deep] })).toMatchObject({ status: 'completed' });
    expect(asked[1]?.body.messages.at(-1)?.content).toMatch(/^Error: the arguments are not a valid JSON object/);
    const many = Array.from({ length: 65 }, (_, n) => ({ id: `c${n}`, function: { name: 'echo', arguments: '{}' } }));
    expect(await served({ kind: 'completion', calls: many })).toMatchObject({
      status: 'failed',
      outcome: { reason: 'not_retryable' },
    });
  }, 60_000);
});
