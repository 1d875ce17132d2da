import { type GuardedExecution, guardedTools } from '../support/guarded-tools.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';
import { RunTalk, type ScriptedCall } from './run-talk.js';

/*
 * Answers that come too early, too late or to nothing: each is told what is true, and none of them lands anywhere else.
 */

let service: HttpService;
let talk: RunTalk;
let gina: string;
const executed: GuardedExecution[] = [];

beforeAll(async () => {
  service = await HttpService.start({ tools: guardedTools(executed) });
  talk = new RunTalk(service);
  gina = await service.principal('gina', { kind: 'person', grants: ['agent_approve'] });
});
afterAll(() => service.stop());
beforeEach(() => {
  executed.length = 0;
});

const ask = (callId: string): ScriptedCall => ({ callId, toolName: 'ask', arguments: {} });
const refund = (callId: string): ScriptedCall => ({ callId, toolName: 'refund', arguments: {} });
const DIGEST = 'a'.repeat(64);

describe.each([
  { kind: 'input', calls: ask, nowhere: 'not-awaiting-input' },
  { kind: 'approval', calls: refund, nowhere: 'not-awaiting-approval' },
] as const)('an answer by way of $kind', ({ kind, calls, nowhere }) => {
  const answer = (id: string, turnDigest: string, token?: string) =>
    kind === 'input'
      ? talk.submit(id, { turnDigest, data: { amount: 7 } }, token)
      : talk.decide(id, true, turnDigest, token);

  it('TRN-5 to a run that has not paused yet, or never will, is refused and remembered by nothing', async () => {
    const early = await talk.started([[calls('a')], 'end']);
    const done = await talk.paused(['end']);
    const before = service.log.events.length;
    expectProblem(await answer(early, DIGEST), nowhere, { runStatus: 'queued' });
    expectProblem(await answer(done, DIGEST), 'run-settled', { runStatus: 'completed' });
    expectProblem(await answer('0'.repeat(32), DIGEST), 'run-not-found');
    expect(service.log.events).toHaveLength(before);
    await service.work(early);
    expect(await talk.read(early)).toMatchObject({ status: `waiting_for_${kind}` });
    expect(executed).toEqual([]);
  });

  it('TRN-3 TRN-5 to a turn that the run has left behind is refused, and never lands on the pause it waits at now', async () => {
    const id = await talk.paused([[calls('a')], [calls('b')], 'end']);
    const first = await talk.digest(id);
    await answer(id, first);
    await service.work(id);
    const waiting = await talk.read(id);
    const [timeline, events] = [await talk.timeline(id), service.log.events.length];
    expectProblem(await answer(id, first, gina), 'already-answered', { answeredAt: expect.any(String) });
    const other =
      kind === 'input'
        ? await talk.submit(id, { turnDigest: first, data: { amount: 8 } })
        : await talk.decide(id, false, first);
    expectProblem(other, 'already-answered', { answeredAt: expect.any(String) });
    expectProblem(await answer(id, DIGEST), 'stale-turn', { pause: waiting.pause });
    expect([await talk.read(id), await talk.timeline(id)]).toEqual([waiting, timeline]);
    expect(service.log.events).toHaveLength(events);
    expect(executed.map(({ callId }) => callId)).toEqual(['a']);
    expect((await answer(id, waiting.pause.turnDigest)).body.submission).toBe('accepted');
  });

  it('LIF-6 comes too late for a run that was cancelled while it waited: the pause is closed at once, everywhere', async () => {
    const id = await talk.paused([[calls('a')], 'end']);
    const digest = await talk.digest(id);
    expect((await service.call('POST', `/runs/${id}/cancel`)).status).toBe(202);
    expect(await talk.read(id)).not.toHaveProperty('pause');
    for (const part of ['pause', 'form']) {
      expectProblem(await service.call('GET', `/runs/${id}/${part}`), 'no-pause');
    }
    const waiting = (await service.call('GET', '/inbox')).body.items.map(({ runId }: { runId: string }) => runId);
    expect(waiting).not.toContain(id);
    // A helper could see it for as long as it waited.
    expectProblem(await service.call('GET', `/runs/${id}`, { token: gina }), 'run-not-found');
    const before = service.log.events.length;
    expectProblem(await answer(id, digest), 'run-settled', { runStatus: 'cancelled' });
    expect(service.log.events).toHaveLength(before);
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect(executed).toEqual([]);
  });

  it('LIF-6 that was accepted is not executed when a cancellation comes before the claim', async () => {
    const id = await talk.paused([[calls('a')], 'end']);
    const digest = await talk.digest(id);
    await answer(id, digest);
    await service.call('POST', `/runs/${id}/cancel`);
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect([executed, (await talk.read(id)).status]).toEqual([[], 'cancelled']);
    expect((await answer(id, digest)).body.submission).toBe('replayed');
  });
});

describe('an event that cannot be read', () => {
  it.each([
    ['of a type of a later version', 'RunPondered', {}],
    ['of the wrong shape', 'LeaseExtended', { claimId: 5 }],
  ])('stops its own run, which is decided on no older state: %s', async (_what, type, data) => {
    const id = await talk.paused([[ask('a')], 'end']);
    const digest = await talk.digest(id);
    const stream = `run-${id}`;
    const revision = service.log.read(stream, 0).length - 1;
    const bad = { id: `bad-${id}`, type, data: JSON.stringify(data), metadata: '{}' };
    service.log.append(stream, revision, [bad]);
    const before = service.log.read(stream, 0).length;
    const refused = [
      await talk.submit(id, { turnDigest: digest, data: { amount: 1 } }),
      await service.call('POST', `/runs/${id}/cancel`),
      await service.call('GET', `/runs/${id}/pause`),
    ];
    for (const { status, body } of refused) expect([status >= 400, body.code]).toEqual([true, expect.any(String)]);
    await expect(service.work(id)).rejects.toThrow();
    expect(service.log.read(stream, 0)).toHaveLength(before);
    expect((await talk.timeline(id)).at(-1)).toMatchObject({ type, unreadable: expect.any(String) });
    const other = await talk.paused([[ask('b')], 'end']);
    await talk.submit(other, { data: { amount: 2 } });
    await service.work(other);
    expect(await talk.read(other)).toMatchObject({ status: 'completed' });
    expect(executed.map(({ callId }) => callId)).toEqual(['b']);
  });
});
