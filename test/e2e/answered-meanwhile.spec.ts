import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

/*
 * What is accepted while nobody can work on it is worked on later, as much at once as there is room for; and a process
 * that comes and goes beside another takes nothing from it.
 */

const RUNS = 8;
const MAX_SEGMENTS = 2;

interface Event {
  readonly type: string;
  readonly at: string;
  readonly callId?: string;
}

describe('runs of which the workers are away', () => {
  const folder = scratchFolder();
  const services: Service[] = [];

  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    folder.remove();
  });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<Service> {
    const demonstration = { HOLDPOINT_DEMO: '1', HOLDPOINT_MAX_SEGMENTS: String(MAX_SEGMENTS) };
    const service = await Service.start({ dataDir: folder.path, env: { ...demonstration, ...env } });
    services.push(service);
    return service;
  }

  const timeline = async (service: Service, runId: string): Promise<Event[]> =>
    (await service.call('GET', `/runs/${runId}/events?limit=200`)).body.items;

  const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);

  it('CLM-2 CLM-6 CLM-7 all of many answers at once are accepted, outlive the process that took them, and are executed two by two', async () => {
    const first = await start();
    const turns = [
      { calls: [{ toolName: 'lookup_order', arguments: { orderId: '1' } }] },
      { delayMs: 3_000, text: 'the end' },
    ];
    await first.call('PUT', '/configurations/slow', { provider: { kind: 'scripted', turns }, trustZone: 'local' });
    const go = { configurationId: 'demo', input: 'go' };
    const paused = await Promise.all(
      Array.from({ length: RUNS }, () => first.call('POST', '/runs', go, { prefer: 'wait=60' })),
    );
    expect(new Set(paused.map(({ body }) => body.status))).toEqual(new Set(['waiting_for_input']));

    const { body: slow } = await first.call('POST', '/runs', { configurationId: 'slow', input: 'go' });
    while ((await first.call('GET', `/runs/${slow.id}`)).body.status !== 'running');
    // It starts, looks at everything there is, and cleans up after itself as it stops.
    await (await start()).stop();
    while ((await first.call('GET', `/runs/${slow.id}`)).body.status !== 'completed');
    const undisturbed = typesOf(await timeline(first, slow.id)).filter((type) =>
      /Claimed|Requeued|Completed$/.test(type),
    );
    expect(undisturbed).toEqual(['RunClaimed', 'ToolCallCompleted', 'RunCompleted']);
    await first.stop();

    const desk = await start({ HOLDPOINT_ROLES: 'api' });
    const answers = await Promise.all(
      paused.map(({ body: { id, pause } }) =>
        desk.call('POST', `/runs/${id}/input`, {
          turnDigest: pause.turnDigest,
          data: { date: '2030-05-02', slot: 'morning' },
        }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.submission, body.status])).toEqual(
      paused.map(() => [202, 'accepted', 'queued']),
    );
    await desk.kill();

    const second = await start();
    const segments: { readonly from: string; readonly to: string }[] = [];
    for (const { body: run } of paused) {
      const answered = await second.call(
        'POST',
        `/runs/${run.id}/input`,
        { turnDigest: run.pause.turnDigest, data: { date: '2030-05-02', slot: 'morning' } },
        { prefer: 'wait=60' },
      );
      expect(answered.body).toMatchObject({ submission: 'replayed', status: 'completed' });
      const events = await timeline(second, run.id);
      const results = events.flatMap(({ type, callId }) => (type === 'ToolCallCompleted' ? [callId] : []));
      expect([results.length, new Set(results).size]).toEqual([2, 2]);
      expect(typesOf(events).filter((type) => /Submitted|Requeued/.test(type))).toEqual(['InputSubmitted']);
      const claims = events.filter(({ type }) => type === 'RunClaimed');
      expect(claims).toHaveLength(2);
      const completed = events.find(({ type }) => type === 'RunCompleted');
      segments.push({ from: claims[1]?.at ?? '', to: completed?.at ?? '' });
    }
    // At the moment when a segment begins, how many are under way.
    const atOnce = segments.map(({ from }) => segments.filter((other) => other.from <= from && from < other.to).length);
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(MAX_SEGMENTS);
  }, 120_000);
});
