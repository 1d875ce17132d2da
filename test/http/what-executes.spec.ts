import { type GuardedExecution, guardedTools } from '../support/guarded-tools.js';
import { RemovableTools } from '../support/removable-tools.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';
import { RunTalk, type ScriptedCall } from './run-talk.js';

/*
 * What somebody was shown and answered is what executes: all of it, with these arguments, once, and nothing else.
 */

let service: HttpService;
let talk: RunTalk;
const executed: GuardedExecution[] = [];
const tools = new RemovableTools();

beforeAll(async () => {
  guardedTools(executed, tools);
  service = await HttpService.start({ tools });
  talk = new RunTalk(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  executed.length = 0;
  tools.removed.clear();
});

const call = (callId: string, toolName: string, n: number): ScriptedCall => ({ callId, toolName, arguments: { n } });
const executions = () => executed.map(({ callId, toolName, arguments: given }) => [callId, toolName, given]);

describe('an answered turn', () => {
  it('TRN-4 executes with the very arguments that were shown, and for a form with the person’s beside them', async () => {
    const approval = await talk.paused([[call('a', 'refund', 1), call('b', 'look', 2)], 'end']);
    const shown = await talk.pause(approval);
    await talk.decide(approval, true);
    await service.work(approval);
    expect(executions()).toEqual(
      [...shown.requests, ...shown.otherCalls].map(({ callId, toolName, arguments: given }) => [
        callId,
        toolName,
        given,
      ]),
    );
    executed.length = 0;
    const model = { n: 3, amount: 999, approved: true };
    const input = await talk.paused([[{ callId: 'c', toolName: 'ask', arguments: model }], 'end']);
    await talk.submit(input, { data: { amount: 7 } });
    await service.work(input);
    expect(executions()).toEqual([['c', 'ask', { n: 3, amount: 7, approved: true }]]);
  });

  it('APP-2 executes nothing of another turn: the same tool with other arguments needs an answer of its own', async () => {
    const id = await talk.paused([[call('a', 'refund', 1)], [call('b', 'refund', 2)], 'end']);
    const first = await talk.digest(id);
    await talk.decide(id, true);
    await service.work(id);
    expect(await talk.read(id)).toMatchObject({ status: 'waiting_for_approval' });
    expect((await talk.pause(id)).requests).toMatchObject([{ callId: 'b', arguments: { n: 2 } }]);
    expect((await talk.decide(id, true, first)).body.submission).toBe('replayed');
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect(executions()).toEqual([['a', 'refund', { n: 1 }]]);
  });

  it.each([
    ['APP-1', 'approval', 'refund'],
    ['INP-1', 'input', 'ask'],
  ])('%s holds its harmless calls back, too, until there is an answer: %s', async (_rule, kind, toolName) => {
    const id = await talk.paused([[call('a', 'look', 1), call('b', toolName, 2), call('c', 'look', 3)], 'end']);
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect([executed, await talk.results(id)]).toEqual([[], []]);
    await (kind === 'input' ? talk.submit(id, { data: { amount: 1 } }) : talk.decide(id, true));
    await service.work(id);
    expect(executed.map(({ callId }) => callId)).toEqual(['a', 'b', 'c']);
  });

  it('SUB-7 LIF-3 never executes what was denied, whatever the model calls beside and after it', async () => {
    const denied = [call('a', 'refund', 1), call('b', 'refund', 1), call('c', 'look', 1)];
    const id = await talk.paused([denied, [call('a', 'refund', 1)], [call('d', 'look', 2)], 'end']);
    await talk.decide(id, false);
    await service.work(id);
    // The model asks for the same again, under the same id: another call, which waits for an answer of its own.
    const { requests } = await talk.pause(id);
    expect(requests).toMatchObject([{ toolName: 'refund', arguments: { n: 1 } }]);
    expect(requests[0].callId).not.toBe('a');
    await talk.decide(id, false);
    await service.work(id);
    expect(executions()).toEqual([['d', 'look', { n: 2 }]]);
    expect(await talk.results(id)).toEqual([
      ['a', 'denied'],
      ['b', 'denied'],
      ['c', 'denied'],
      [requests[0].callId, 'denied'],
      ['d', 'ok'],
    ]);
  });

  it('INP-9 is refused as a whole where one of the answers is to no open request, and nothing is written', async () => {
    const id = await talk.paused([[call('a', 'ask', 1), call('b', 'look', 2), call('c', 'ask', 3)], 'end']);
    const before = service.log.events.length;
    const good = { a: { amount: 1 }, c: { amount: 3 } };
    for (const answers of [
      { ...good, b: { amount: 2 } },
      { ...good, z: {} },
      { a: good.a },
      { z: { amount: 1 } },
      {},
    ]) {
      const refused = await talk.submit(id, { answers });
      expect([refused.status, refused.body.code]).toEqual([422, 'invalid-input']);
    }
    expect([(await talk.submit(id, { data: { amount: 1 } })).status, service.log.events.length]).toEqual([422, before]);
    expect((await talk.submit(id, { answers: good })).body).toMatchObject({ submission: 'accepted' });
    await service.work(id);
    expect(executions()).toEqual([
      ['a', 'ask', { n: 1, amount: 1 }],
      ['b', 'look', { n: 2 }],
      ['c', 'ask', { n: 3, amount: 3 }],
    ]);
  });
});

describe('a tool that was removed while its run waits', () => {
  it.each([
    ['SUB-3', 'approval', 'refund', 'approver-not-permitted'],
    ['SUB-2', 'input', 'ask', 'submitter-not-permitted'],
  ] as const)('%s the pause says so, and an answer is refused by its name: %s', async (_rule, kind, toolName, code) => {
    const id = await talk.paused([[call('a', toolName, 1)], 'end']);
    const before = await talk.pause(id);
    expect(before).not.toHaveProperty('missingTools');
    tools.removed.add(toolName);
    expect(await talk.pause(id)).toEqual({ ...before, missingTools: [toolName] });
    const answer = () => (kind === 'input' ? talk.submit(id, { data: { amount: 1 } }) : talk.decide(id, true));
    expectProblem(await answer(), code, { toolName, reason: 'not_registered' });
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    tools.removed.clear();
    expect(await talk.pause(id)).toEqual(before);
    expect((await answer()).status).toBe(202);
  });

  it('SUB-10 an answer that was accepted before is handed back once, and the pause says why', async () => {
    const id = await talk.paused([[call('a', 'ask', 1)], 'end']);
    await talk.submit(id, { data: { amount: 1 } });
    tools.removed.add('ask');
    await expect(service.work(id)).rejects.toThrow('released');
    for (let again = 0; again < 3; again += 1) await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect((await talk.timeline(id)).filter(({ type }) => type === 'RunReleased')).toHaveLength(1);
    expect((await talk.read(id)).pause.released).toMatchObject({ reason: 'submitter_not_permitted', toolName: 'ask' });
    expect(await talk.pause(id)).toMatchObject({ missingTools: ['ask'] });
    expect(executed).toEqual([]);
    expect((await service.call('POST', `/runs/${id}/cancel`)).status).toBe(202);
  });

  it('SUB-7 a write that nobody can release any more can still be denied, and the run goes on', async () => {
    const id = await talk.paused([[call('a', 'refund', 1)], 'I see']);
    tools.removed.add('refund');
    expect((await talk.decide(id, false)).status).toBe(202);
    await service.work(id);
    expect([await talk.results(id), (await talk.read(id)).outcome.content]).toEqual([[['a', 'denied']], 'I see']);
  });
});
