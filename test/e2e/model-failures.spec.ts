import { ModelDesk } from '../support/model-desk.js';
import { OpenAIServer, type Reply } from '../support/openai-server.js';
import { STORES } from '../support/store-under-test.js';

/*
 * What becomes of a run whose model server is slow, breaks off, refuses or is not to be trusted, over real HTTP.
 */
describe.each(STORES)('a run whose model server fails, with its log on %s', (_name, open) => {
  let desk: ModelDesk;

  beforeAll(async () => {
    desk = await ModelDesk.open(await open(), { HOLDPOINT_PROVIDER_KEY_GOOD: 'the-key-of-the-provider' });
  }, 60_000);

  afterAll(() => desk.close());

  const says = (text: string): Reply => ({ kind: 'completion', text });
  const status = (status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
    kind: 'raw',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"error":{"message":"not for anybody’s eyes"}}',
  });

  it('CLM-5 tries again what may pass: after as long as the server said, after a lost connection, and not for ever', async () => {
    const limited = await desk.model('limited', [status(429, { 'retry-after': '3' }), says('at last')]);
    const dropped = await desk.model('dropped', [{ kind: 'drop-mid-body' }, { kind: 'hang-up' }, says('whole')]);
    const down = await desk.model('down', [status(503)]);
    const [afterLimit, afterDrop, afterAll] = await Promise.all(
      ['limited', 'dropped', 'down'].map((id) => desk.run(id)),
    );

    expect(afterLimit).toMatchObject({ status: 'completed', outcome: { content: 'at last' } });
    const [requeued] = await desk.events(afterLimit.id, 'RunRequeued');
    expect(requeued).toMatchObject({ reason: 'rate_limited', attempt: 1 });
    expect(Date.parse(requeued.notBefore) - Date.parse(requeued.at)).toBeGreaterThanOrEqual(2_900);
    expect(limited.times).toHaveLength(2);
    expect((limited.times[1] as number) - (limited.times[0] as number)).toBeGreaterThanOrEqual(3_000);

    expect(afterDrop).toMatchObject({ status: 'completed', outcome: { content: 'whole' } });
    expect(await desk.events(afterDrop.id, 'RunRequeued')).toEqual([
      expect.objectContaining({ reason: 'connection', attempt: 1 }),
      expect.objectContaining({ reason: 'connection', attempt: 2 }),
    ]);
    expect(dropped.requests).toHaveLength(3);

    expect(afterAll).toMatchObject({ status: 'failed', outcome: { reason: 'retries_exhausted' } });
    expect(down.requests).toHaveLength(4);
    const [failed] = await desk.events(afterAll.id, 'RunFailed');
    expect(failed).toMatchObject({ errorClass: 'server_error', detail: 'at_model_call' });
  }, 90_000);

  it('LIF-4 CLM-5 LIF-7 ends at once what trying again cannot mend, and says no more than why', async () => {
    const cases: [name: string, reply: Reply, reason: string, errorClass: string][] = [
      ['unauthorized', status(401), 'not_retryable', 'unauthorized'],
      ['forbidden', status(403), 'not_retryable', 'unauthorized'],
      ['refused', status(400), 'not_retryable', 'bad_request'],
      ['no-model', status(404), 'not_retryable', 'not_found'],
      ['garbled', { kind: 'raw', status: 200, body: '<html>' }, 'not_retryable', 'malformed_answer'],
      ['empty', { kind: 'completion', text: null }, 'not_retryable', 'malformed_answer'],
    ];
    const asked = await Promise.all(cases.map(([name, reply]) => desk.model(name, [reply])));
    const runs = await Promise.all(cases.map(([name]) => desk.run(name)));
    for (const [index, [name, , reason, errorClass]] of cases.entries()) {
      const { id, status, outcome } = runs[index];
      expect([name, status, outcome]).toEqual([name, 'failed', { reason, truncated: false }]);
      expect(await desk.events(id, 'RunFailed')).toEqual([
        expect.objectContaining({ reason, errorClass, detail: 'at_model_call' }),
      ]);
      expect(asked[index]?.requests).toHaveLength(1);
      expect(logged(id)).toContainEqual(expect.objectContaining({ level: 40, msg: 'the run failed', reason }));
    }
  }, 60_000);

  /** What the log says of a run. */
  const logged = (runId: string): object[] =>
    desk.service.output
      .split('\n')
      .filter((line) => line.includes(runId))
      .map((line) => JSON.parse(line));

  it('CLM-5 follows no redirect: the key and the prompt go nowhere else', async () => {
    const elsewhere = await OpenAIServer.start(() => says('give me more'));
    const location = `${elsewhere.baseUrl}/chat/completions`;
    const apiKeyEnv = 'HOLDPOINT_PROVIDER_KEY_GOOD';
    const asked = await desk.model('moved', [status(307, { location })], { apiKeyEnv });
    const run = await desk.run('moved');
    expect(run).toMatchObject({ status: 'failed', outcome: { reason: 'provider_failed' } });
    expect(asked.requests[0]?.headers.authorization).toBe('Bearer the-key-of-the-provider');
    expect(elsewhere.connections).toBe(0);
    await elsewhere.close();
  }, 60_000);

  it('CLM-5 fails a run whose configuration names a key that is not there, without asking anybody', async () => {
    const asked = await desk.model('keyless', [says('hello')], { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_MISSING' });
    expect(await desk.run('keyless')).toMatchObject({ status: 'failed', outcome: { reason: 'provider_failed' } });
    expect(asked.requests).toEqual([]);
  }, 60_000);

  it('LIF-6 shows a run that waits for a slow answer as running; a cancel ends the request with it', async () => {
    let answer = () => {};
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await desk.model('slow', [{ kind: 'completion', text: 'here I am', after }]);
    const arrived = desk.server.nextRequest();
    const waiting = desk.run('slow');
    const received = await arrived;
    const { body: list } = await desk.service.call('GET', '/runs?configurationId=slow');
    expect(list.items).toMatchObject([{ status: 'running', iterations: 0 }]);
    answer();
    await received.gone;
    expect(await waiting).toMatchObject({ status: 'completed', outcome: { content: 'here I am' } });

    const silent = await desk.model('silent', [{ kind: 'silence' }]);
    const silence = desk.server.nextRequest();
    const unanswered = desk.run('silent');
    const { gone } = await silence;
    const [run] = (await desk.service.call('GET', '/runs?configurationId=silent')).body.items;
    expect((await desk.service.call('POST', `/runs/${run.id}/cancel`)).status).toBe(202);
    expect(await unanswered).toMatchObject({ status: 'cancelled', outcome: { reason: 'cancelled' } });
    await gone;
    expect(silent.requests).toHaveLength(1);
    expect((await desk.events(run.id)).map((event: { type: string }) => event.type)).toEqual([
      'RunStarted',
      'RunClaimed',
      'RunCancelled',
    ]);
  }, 60_000);

  it('CLM-5 gives a silent server up after the time that its configuration grants', async () => {
    await desk.model('mute', [{ kind: 'silence' }, says('awake')], { timeoutMs: 100 });
    const run = await desk.run('mute');
    expect(run).toMatchObject({ status: 'completed', outcome: { content: 'awake' } });
    expect(await desk.events(run.id, 'RunRequeued')).toEqual([expect.objectContaining({ reason: 'timeout' })]);
  }, 60_000);
});
