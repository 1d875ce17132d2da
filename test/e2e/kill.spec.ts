import { Dice } from '../simulation/world.js';
import type { Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * `kill -9` of the real processes at random moments while runs pause and are answered. Everything is judged from outside,
 * over HTTP, as a client would: what was acknowledged holds.
 *
 *   KILLS=200 KILL_SEED=7 npx jest test/e2e/kill
 *
 * On each store as many.
 */
const KILLS = Number(process.env.KILLS ?? 5);
const CLIENTS = 4;
const PAUSES = 2;

interface TimelineEvent {
  readonly sequence: number;
  readonly type: string;
  readonly callId?: string;
  readonly turnDigest?: string;
  readonly claimId?: string;
}

/** An answer that the service said it had accepted, exactly as it was posted. */
interface Acknowledged {
  readonly runId: string;
  readonly body: { readonly turnDigest: string; readonly data: object };
}

describe.each(STORES)('a process that is killed, with its log on %s,', (_name, open) => {
  const dice = new Dice(Number(process.env.KILL_SEED ?? 1));
  let store: StoreUnderTest;
  const started = new Map<string, string>();
  const acknowledged: Acknowledged[] = [];
  /** Two processes on one log, each killed by its own killer; null while one is dead. */
  const services: (Service | null)[] = [null, null];
  let killsLeft = KILLS;
  let runs = 0;

  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.remove());

  async function start(node: number): Promise<Service> {
    // A short lease, so that what a killed worker held comes back soon.
    return store.startNode({ HOLDPOINT_DEMO: '1', HOLDPOINT_LEASE_SECONDS: '1' }, { node });
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Kills and restarts until enough kills were had; moments are random, and so is what they hit. */
  async function beKiller(slot: number): Promise<void> {
    while (killsLeft > 0) {
      killsLeft -= 1;
      const service = await start(slot);
      services[slot] = service;
      await sleep(dice.below(600));
      services[slot] = null;
      await service.kill();
    }
    services[slot] = await start(slot);
  }

  /** @returns null where the service was away, or went away in the middle: the client cannot know what happened. */
  async function tryCall(method: string, path: string, body?: object, headers?: Record<string, string>) {
    const service = dice.pick(services.filter((candidate) => candidate !== null));
    if (service === undefined) {
      await sleep(20);
      return null;
    }
    try {
      const answer = await service.call(method, path, body, headers);
      return answer.status >= 500 ? null : answer;
    } catch {
      await sleep(20);
      return null;
    }
  }

  async function persist(method: string, path: string, body?: object, headers?: Record<string, string>) {
    while (true) {
      const answer = await tryCall(method, path, body, headers);
      if (answer !== null) return answer;
    }
  }

  /** Starts run after run and answers each pause, repeating whatever was not acknowledged, while the killing goes on. */
  async function beClient(client: number): Promise<void> {
    for (let count = 0; killsLeft > 0 || count === 0; count += 1) {
      const key = `client-${client}-run-${count}`;
      const request = { configurationId: 'twice', input: 'go' };
      const { body } = await persist('POST', '/runs', request, { 'idempotency-key': key });
      started.set(key, body.id);
      runs += 1;
      await answerUntilItEnds(body.id);
    }
  }

  async function answerUntilItEnds(runId: string): Promise<void> {
    while (true) {
      const { body: run } = await persist('GET', `/runs/${runId}`);
      if (run.outcome !== undefined) return;
      if (run.pause === undefined) {
        await sleep(20);
        continue;
      }
      const data = { date: '2030-05-02', slot: 'morning', floor: dice.below(60) };
      const body = { turnDigest: run.pause.turnDigest, data };
      const answer = await persist('POST', `/runs/${runId}/input`, body);
      // A repeat after a kill finds its own first try accepted: that is an acknowledgement, too.
      if (['accepted', 'replayed'].includes(answer.body.submission)) acknowledged.push({ runId, body });
      else expect(['stale-turn', 'not-awaiting-input']).toContain(answer.body.code);
    }
  }

  it('CLM-3 CLM-6 CLM-7 loses nothing that was acknowledged and does nothing twice', async () => {
    const first = await start(0);
    const ask = { toolName: 'ask_delivery_window', arguments: { orderId: '1' } };
    const look = { toolName: 'lookup_order', arguments: { orderId: '1' } };
    const turns = [{ calls: [look] }, { calls: [ask] }, { calls: [look, ask] }, { text: 'the end' }];
    const configuration = { provider: { kind: 'scripted', turns }, trustZone: 'local' };
    expect((await first.call('PUT', '/configurations/twice', configuration)).status).toBeLessThan(300);
    await first.kill();

    await Promise.all([beKiller(0), beKiller(1), ...Array.from({ length: CLIENTS }, (_, client) => beClient(client))]);

    expect(runs).toBeGreaterThanOrEqual(CLIENTS);
    expect(acknowledged).toHaveLength(runs * PAUSES);
    for (const [key, runId] of started) await judge(key, runId);
  }, 300_000);

  async function judge(key: string, runId: string): Promise<void> {
    const again = await persist('POST', '/runs', { configurationId: 'twice', input: 'go' }, { 'idempotency-key': key });
    expect(again.body.id).toBe(runId);
    const { body: run } = await persist('GET', `/runs/${runId}`);
    expect(run).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'the end' } });
    const { body: timeline } = await persist('GET', `/runs/${runId}/events?limit=200`);
    const events: TimelineEvent[] = timeline.items;
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
    const submitted = events.filter(({ type }) => type === 'InputSubmitted').map(({ turnDigest }) => turnDigest);
    expect(submitted).toHaveLength(PAUSES);
    expect(new Set(submitted)).toEqual(
      new Set(acknowledged.filter((answer) => answer.runId === runId).map(({ body }) => body.turnDigest)),
    );
    const results = events.filter(({ type }) => type === 'ToolCallCompleted').map(({ callId }) => callId);
    expect(results).toHaveLength(4);
    expect(new Set(results).size).toBe(4);
    expect(events.filter(({ type }) => type === 'ModelResponded')).toHaveLength(4);
    // The very values that were acknowledged are those that the log has: their repeat is recognised, another is not.
    for (const answer of acknowledged.filter((candidate) => candidate.runId === runId)) {
      const repeat = await persist('POST', `/runs/${runId}/input`, answer.body);
      expect(repeat.body.submission).toBe('replayed');
    }
  }
});
