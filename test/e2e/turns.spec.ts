import { scratchFolder } from '../support/scratch-folder.js';
import { type Answer, Service } from '../support/service.js';

/** One segment at a time, and somebody who has started far more than that. */
describe('a worker with one slot', () => {
  const data = scratchFolder();
  const env = { HOLDPOINT_MAX_SEGMENTS: '1', HOLDPOINT_DEMO: '1', HOLDPOINT_RATE_STARTS: '0' };
  const BUSY_RUNS = 24;
  let worker: Service;
  let api: Service;

  beforeAll(async () => {
    worker = await Service.start({ dataDir: data.path, env: { ...env, HOLDPOINT_ROLES: 'worker,api' } });
    api = await Service.start({ dataDir: data.path, env: { ...env, HOLDPOINT_ROLES: 'api' } });
    const provider = { kind: 'scripted', turns: [{ delayMs: 100, text: 'done' }] };
    await worker.call('PUT', '/configurations/slow', { provider, trustZone: 'local' });
  }, 60_000);
  afterAll(async () => {
    await Promise.all([worker.stop(), api.stop()]);
    data.remove();
  });

  function start(token: string, wait: number): Promise<Answer> {
    const body = { configurationId: 'slow', input: 'go' };
    return api.request('POST', '/api/v1/runs', { body, token, headers: { prefer: `wait=${wait}` } });
  }

  it('gives every owner a turn: one run is not behind all of somebody else’s, and none is lost', async () => {
    const busy = await worker.principal('busy', { kind: 'person' });
    const patient = await worker.principal('patient', { kind: 'person' });
    const started = await Promise.all(Array.from({ length: BUSY_RUNS }, () => start(busy, 0)));
    expect(new Set(started.map(({ status }) => status))).toEqual(new Set([202]));
    const own = await start(patient, 0);
    const { body: queued } = await api.call('GET', `/runs/${own.body.id}`);
    // It may have been taken already; while it waits, one run of the other owner is before it at most.
    if (queued.status === 'queued') expect(queued.queue.ahead).toBeLessThanOrEqual(1);
    const metrics = (await worker.request('GET', '/metrics', { token: null })).text;
    expect(Number(/^holdpoint_due_runs (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(BUSY_RUNS / 4);
    expect(metrics).toMatch(/^holdpoint_longest_due_seconds /m);

    while ((await api.call('GET', `/runs/${own.body.id}`)).body.status !== 'completed');
    const left = (await api.call('GET', '/runs?ownerId=busy&status=queued&limit=200')).body.items;
    expect(left.length).toBeGreaterThan(BUSY_RUNS / 4);
    while ((await api.call('GET', '/runs?ownerId=busy&status=completed&limit=200')).body.items.length < BUSY_RUNS);
  }, 60_000);
});
