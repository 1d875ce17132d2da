import { setTimeout as pause } from 'node:timers/promises';
import { compileOnBuild } from '../support/compiled-processes.js';
import { HeldLedger } from '../support/held-ledger.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

/*
 * Several processes of one machine on one data folder: on SQLite alone, because it is that file which they share. Nodes of
 * a cluster have a folder each; many-nodes.spec.ts and one-answer.spec.ts show the same of them.
 */
describe('two processes on one data folder', () => {
  const compiled = scratchFolder();
  const folder = scratchFolder();
  const started: Service[] = [];
  let ledger: HeldLedger;
  let program: string;
  let one: Service;
  let other: Service;

  const TURNS = [
    { calls: [{ toolName: 'ask', arguments: { amount: -1 } }] },
    { calls: [{ toolName: 'label', arguments: {} }] },
    { calls: [{ toolName: 'refund', arguments: { cents: 5 } }] },
    { text: 'the end' },
  ];

  /** A short lease, so that what a killed process held comes back soon. */
  async function start(roles: string): Promise<Service> {
    const env = { LEDGER: ledger.address, HOLDPOINT_LEASE_SECONDS: '2', HOLDPOINT_ROLES: roles };
    const service = await Service.start({ dataDir: folder.path, program, env });
    started.push(service);
    return service;
  }

  beforeAll(async () => {
    ledger = await HeldLedger.open();
    program = compileOnBuild(compiled.path, 'service-with-ledger-tools');
    // At the same moment, on an empty folder: both come up, and one of them makes what there is one of.
    [one, other] = await Promise.all([start('api,worker'), start('api,worker')]);
    const provider = { kind: 'scripted', turns: TURNS };
    await one.call('PUT', '/configurations/story', { provider, trustZone: 'local' });
  }, 60_000);

  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop()));
    await ledger.close();
    compiled.remove();
    folder.remove();
  });

  async function standing(service: Service, runId: string, status: string) {
    for (;;) {
      const { body } = await service.call('GET', `/runs/${runId}`);
      if (body.status === status) return body;
      expect(body.outcome).toBeUndefined();
      await pause(20);
    }
  }

  async function pausedRun(service: Service): Promise<string> {
    const { body } = await service.call('POST', '/runs', { configurationId: 'story', input: 'go' });
    await standing(service, body.id, 'waiting_for_input');
    return body.id;
  }

  async function answer(service: Service, runId: string): Promise<void> {
    const { pause: paused } = await standing(service, runId, 'waiting_for_input');
    const body = { turnDigest: paused.turnDigest, data: { amount: 7 } };
    expect((await service.call('POST', `/runs/${runId}/input`, body)).body.submission).toBe('accepted');
  }

  async function approve(service: Service, runId: string): Promise<void> {
    const { pause: paused } = await standing(service, runId, 'waiting_for_approval');
    const decision = { turnDigest: paused.turnDigest, approved: true };
    expect((await service.call('POST', `/runs/${runId}/approval`, decision)).body.submission).toBe('accepted');
  }

  async function typesOf(service: Service, runId: string): Promise<string[]> {
    const { body } = await service.call('GET', `/runs/${runId}/events?limit=200`);
    return body.items.map(({ type }: { type: string }) => type);
  }

  /** Of all processes together. */
  async function claims(services: readonly Service[]): Promise<number> {
    const texts = await Promise.all(services.map((service) => service.request('GET', '/metrics')));
    const counts = texts.map(({ text }) => /^holdpoint_claims_total\{reply="claimed"\} (\d+)/m.exec(text)?.[1] ?? 0);
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  }

  it('CLM-1 TRN-5 show each what the other was told, and execute every run once between them', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, (_, n) => pausedRun(n % 2 === 0 ? one : other)));
    await Promise.all(
      runs.map(async (runId, n) => {
        const [asked, seen] = n % 2 === 0 ? [other, one] : [one, other];
        await answer(asked, runId);
        await approve(seen, runId);
        await approve(asked, runId);
        const { outcome } = await standing(seen, runId, 'completed');
        expect(outcome).toMatchObject({ reason: 'finished', content: 'the end' });
      }),
    );
    for (const runId of runs) {
      for (const toolName of ['ask', 'label', 'refund']) expect(ledger.of(runId, toolName)).toHaveLength(1);
      const types = await typesOf(one, runId);
      expect(types.filter((type) => type === 'RunClaimed')).toHaveLength(4);
      expect(types.filter((type) => type === 'ToolCallCompleted')).toHaveLength(3);
      expect(await typesOf(other, runId)).toEqual(types);
    }
    // One claim for the start and one for each answer, whoever made it: none that both count.
    expect(await claims([one, other])).toBe(4 * runs.length);
    const { body } = await other.call('GET', '/audit?limit=200&kind=InputSubmitted');
    expect(body.items).toHaveLength(runs.length);
  }, 60_000);

  it('CLM-3 CLM-4 one that is killed in the middle of a segment is succeeded by the other', async () => {
    const [labelled, refunded] = [await pausedRun(one), await pausedRun(other)];
    for (const runId of [labelled, refunded]) await answer(one, runId);
    await approve(one, refunded);
    await standing(one, refunded, 'waiting_for_approval');
    // Both runs are held up in the middle of a write, and whoever executes one of them is killed.
    const killed = new Set<number>();
    let release = () => {};
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held: string[] = [];
    let bothHeld = () => {};
    const holding = new Promise<void>((resolve) => {
      bothHeld = resolve;
    });
    ledger.whileExecuting = async ({ runId, pid }) => {
      if (killed.size > 0 && !killed.has(pid)) return;
      held.push(runId);
      if (held.length === 2) bothHeld();
      await over;
    };
    await approve(one, labelled);
    await approve(one, refunded);
    await holding;
    const pidOf = (runId: string, toolName: string) => ledger.of(runId, toolName)[0]?.pid;
    const victim = [one, other].find(({ pid }) => pid === pidOf(labelled, 'label')) as Service;
    const survivor = victim === one ? other : one;
    const refundedByVictim = pidOf(refunded, 'refund') === victim.pid;
    killed.add(victim.pid);
    await victim.kill();
    release();

    // What may be done again is done again, by the other; what may not waits for somebody who finds out.
    await approve(survivor, labelled);
    await standing(survivor, labelled, 'completed');
    expect(ledger.of(labelled, 'label').map(({ pid }) => pid)).toEqual([victim.pid, survivor.pid]);
    expect((await typesOf(survivor, labelled)).filter((type) => type === 'ToolCallCompleted')).toHaveLength(3);
    if (refundedByVictim) {
      const { pause: paused } = await standing(survivor, refunded, 'waiting_for_resolution');
      const finding = { callId: paused.requests[0].callId, verdict: 'executed', result: 'found', note: 'looked it up' };
      expect((await survivor.call('POST', `/runs/${refunded}/resolution`, finding)).status).toBe(202);
    }
    await standing(survivor, refunded, 'completed');
    expect(ledger.of(refunded, 'refund')).toHaveLength(1);
    ledger.whileExecuting = async () => {};
    await survivor.stop();
  }, 60_000);

  it('CLM-7 divide the work by their roles: one takes calls, the other executes, and each waits for the other', async () => {
    const api = await start('api');
    const { body: run } = await api.call('POST', '/runs', { configurationId: 'story', input: 'go' });
    // Nobody executes anything here, so it stays where it is, and is there for whoever comes.
    expect(
      (await api.call('POST', '/runs', { configurationId: 'story', input: 'go' }, { prefer: 'wait=1' })).status,
    ).toBe(202);
    expect((await api.call('GET', `/runs/${run.id}`)).body.status).toBe('queued');
    const worker = await start('worker');
    expect((await worker.call('GET', '/runs')).status).toBe(404);
    expect(worker.output).toContain('executes runs and takes no calls');
    expect(worker.output).not.toMatch(/\/inbox|\/api\/docs/);
    expect((await worker.request('GET', '/health/ready', { token: null })).status).toBe(200);
    await answer(api, run.id);
    await approve(api, run.id);
    await worker.kill();
    const next = await start('worker');
    await approve(api, run.id);
    await standing(api, run.id, 'completed');
    const pids = new Set(ledger.executions.filter(({ runId }) => runId === run.id).map(({ pid }) => pid));
    expect([...pids].every((pid) => pid === worker.pid || pid === next.pid)).toBe(true);
    expect(ledger.of(run.id, 'refund')).toHaveLength(1);
    expect(await claims([api])).toBe(0);
  }, 60_000);
});
