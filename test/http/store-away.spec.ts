import { type GuardedExecution, guardedTools } from '../support/guarded-tools.js';
import { type AppendFate, CALM, type FaultPlan } from '../support/memory-event-store.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';
import { RunTalk } from './run-talk.js';

/* The store goes away at the one append that matters: nothing is announced, and nothing executed, before it is recorded. */

let service: HttpService;
let talk: RunTalk;
const executed: GuardedExecution[] = [];

/** What becomes of the next appends with an event of a type, and what is looked at before each but the first. */
const storm = { type: '', fates: [] as AppendFate[], began: false, look: async () => {} };

beforeAll(async () => {
  const plan: FaultPlan = {
    ...CALM,
    pause: async (point) => {
      if (point === 'append' && storm.began && storm.fates.length > 0) await storm.look();
    },
    appendFate: (_stream, events) => {
      if (!events.some(({ type }) => type === storm.type)) return 'commit';
      storm.began = true;
      return storm.fates.shift() ?? 'commit';
    },
  };
  service = await HttpService.start({ tools: guardedTools(executed), plan });
  talk = new RunTalk(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  executed.length = 0;
  begin('', []);
});

function begin(type: string, fates: AppendFate[], look = async () => {}): void {
  Object.assign(storm, { type, fates, look, began: false });
}

const REFUND = { callId: 'a', toolName: 'refund', arguments: {} };
const ASK = { callId: 'a', toolName: 'ask', arguments: {} };
const AWAY: AppendFate[] = Array(200).fill('refuse');

async function waitingIds(): Promise<string[]> {
  return (await service.call('GET', '/inbox')).body.items.map(({ runId }: { runId: string }) => runId);
}

describe('a pause that cannot be stored yet', () => {
  it.each([
    ['input', 'RunSuspendedForInput', ASK],
    ['approval', 'RunSuspendedForApproval', REFUND],
  ])('INP-10 is announced to nobody, tried again, and there once the store has it: %s', async (kind, type, call) => {
    const id = await talk.started([[call], 'end']);
    const seen: [unknown, boolean][] = [];
    begin(type, ['refuse', 'lose_before', 'refuse', 'lose_after'], async () => {
      const [{ status }, waiting] = [await talk.read(id), await waitingIds()];
      seen.push([status, waiting.includes(id)]);
    });
    await service.work(id);
    // The last try finds that the one before it, of which nobody was told, had landed.
    expect(seen).toEqual(Array(3).fill(['running', false]));
    expect(await talk.read(id)).toMatchObject({ status: `waiting_for_${kind}` });
    const types = (await talk.timeline(id)).map((event) => event.type);
    expect(types.filter((one) => /Suspended|ModelResponded/.test(one))).toEqual(['ModelResponded', type]);
    expect(await waitingIds()).toContain(id);
  });
});

describe('an answer that cannot be stored', () => {
  it('SUB-12 CLM-6 releases no write: the approval is not accepted, and counts once it is', async () => {
    const id = await talk.paused([[REFUND], 'end']);
    const digest = await talk.digest(id);
    begin('ApprovalDecided', [...AWAY]);
    const refused = await talk.decide(id, true, digest);
    expectProblem(refused, 'store-unavailable', { correlationId: expect.any(String) });
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect([executed, (await talk.read(id)).status]).toEqual([[], 'waiting_for_approval']);
    storm.fates = ['lose_after'];
    expect((await talk.decide(id, true, digest)).body).toMatchObject({ submission: 'accepted' });
    await service.work(id);
    expect(executed.map(({ callId }) => callId)).toEqual(['a']);
    const types = (await talk.timeline(id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'ApprovalDecided')).toHaveLength(1);
  });

  it('CLM-4 a write is not executed before its announcement is stored, nor again when that was stored unheard', async () => {
    const id = await talk.paused([[REFUND], 'end']);
    await talk.decide(id, true);
    const before: number[] = [];
    begin('ToolCallStarted', ['refuse', 'lose_before', 'lose_after'], async () => {
      before.push(executed.length);
    });
    await service.work(id);
    expect(before).toEqual([0, 0]);
    expect(executed).toHaveLength(1);
    expect(await talk.read(id)).toMatchObject({ status: 'completed' });
  });
});
