import { unfinishedIn } from '../support/data-folder.js';
import { ADMIN_TOKEN, type Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/** How long a stop may take, with whatever is under way. */
const STOP_MS = 10_000;

describe.each(STORES)('a stop on %s', (_name, open) => {
  let store: StoreUnderTest;
  let service: Service;

  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.remove());

  async function configured(id: string, delayMs: number): Promise<void> {
    const calls = [{ toolName: 'lookup_order', arguments: { orderId: '1' } }];
    const provider = { kind: 'scripted', turns: [{ delayMs, calls }, { text: 'done' }] };
    await service.call('PUT', `/configurations/${id}`, { provider, trustZone: 'local' });
  }

  /** Starts a run, or finds the one that was started under the same key. */
  async function run(configurationId: string, number: number, wait: number) {
    const headers = { 'idempotency-key': `${configurationId}-${number}`, prefer: `wait=${wait}` };
    return (await service.call('POST', '/runs', { configurationId, input: 'go' }, headers)).body;
  }

  async function untilRunning(count: number): Promise<void> {
    for (;;) {
      const { body } = await service.call('GET', '/runs?status=running');
      if (body.items.length === count) return;
    }
  }

  it('CLM-3 CLM-6 with 16 segments under way ends in time and cleanly, and every run completes after it', async () => {
    service = await store.startNode({ HOLDPOINT_DEMO: '1' }, { node: 0 });
    // Some of the steps under way end while the stop waits for them, the others are given up.
    const slow = [...Array(10).keys()];
    const brief = [...Array(6).keys()];
    await configured('slow', 600_000);
    await configured('brief', 5_000);
    await Promise.all(slow.map((number) => run('slow', number, 0)));
    await untilRunning(slow.length);
    await Promise.all(brief.map((number) => run('brief', number, 0)));
    await untilRunning(slow.length + brief.length);
    const queued = await run('brief', brief.length, 0);
    expect(queued.status).toBe('queued');
    await configured('slow', 0);

    // Clients that follow a run or wait for its outcome hold up nothing: they are let go with what is known by then.
    const following = await fetch(`${service.address}/api/v1/runs/${queued.id}/events`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const waiting = run('brief', brief.length, 60);

    const since = Date.now();
    expect(await service.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(Date.now() - since).toBeLessThan(STOP_MS);
    // Read to its end: a connection that is cut off has none.
    expect([following.status, await following.text()]).toEqual([200, expect.stringMatching(/^: connected/)]);
    expect((await waiting).status).toBe('queued');
    expect(service.output).not.toMatch(/"level":(50|60)/);
    expect(unfinishedIn(store.folder)).toEqual([]);

    service = await store.startNode({ HOLDPOINT_DEMO: '1' }, { node: 0 });
    const runs = [
      ...slow.map((number) => ['slow', number]),
      ...[...brief, brief.length].map((number) => ['brief', number]),
    ];
    const ended = await Promise.all(runs.map(([id, number]) => run(id as string, number as number, 60)));
    expect(new Set(ended.map(({ status, outcome }) => `${status} ${outcome?.content}`))).toEqual(
      new Set(['completed done']),
    );
    for (const { id, configurationId } of ended) {
      const { body } = await service.call('GET', `/runs/${id}/events`);
      const types = body.items.map((event: { type: string }) => event.type);
      const expected = id === queued.id ? [] : ['RunRequeued'];
      expect([configurationId, types.filter((type: string) => type === 'RunRequeued')]).toEqual([
        configurationId,
        expected,
      ]);
      // What was recorded is not bought or done again.
      expect(types.filter((type: string) => type === 'ModelResponded')).toHaveLength(2);
      expect(types.filter((type: string) => type === 'ToolCallCompleted')).toHaveLength(1);
      const requeued = types.indexOf('RunRequeued');
      if (requeued === -1) continue;
      expect(types.slice(0, requeued)).toEqual(
        configurationId === 'slow' ? ['RunStarted', 'RunClaimed'] : ['RunStarted', 'RunClaimed', 'ModelResponded'],
      );
    }
  }, 120_000);
});
