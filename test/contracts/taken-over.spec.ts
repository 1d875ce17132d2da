import type { ClaimResult } from '../../src/commands/claim-run.command.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { type RunEventType, runIdOf, runStream } from '../../src/events/run-events.js';
import { DueTable } from '../../src/sagas/due-table.js';
import { ResumeRuns } from '../../src/sagas/resume-runs.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import type { ToolCallContext } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';
import { Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';
import type { VirtualClock } from '../support/virtual-clock.js';

const codec = new EventCodec(EVENT_CATALOGUE);

/*
 * A worker whose tool takes long, and whose run is claimed by somebody else meanwhile: what a process finds that was
 * stopped for longer than its lease.
 */
describe('CLM-2 A segment whose run is taken over', () => {
  let clock: VirtualClock;
  const calls: ToolCallContext[] = [];
  const ends: string[] = [];
  let desk: RunDesk;
  let due: DueTable;
  let resume: ResumeRuns;
  let feed: FeedRunner;
  let answerToClaim: (reply: ClaimResult) => Promise<ClaimResult>;

  beforeEach(async () => {
    const remains = runRemains();
    clock = remains.clock;
    calls.length = 0;
    ends.length = 0;
    answerToClaim = (reply) => Promise.resolve(reply);
    desk = new RunDesk(remains, undefined, lingeringTools(calls));
    await desk.know(olga);
    const turns = [{ calls: [{ callId: 'c1', toolName: 'linger', arguments: {} }] }, { text: 'done' }];
    await new Operator(desk).configuration({ provider: { kind: 'scripted', turns } });
    due = DueTable.open(':memory:', {
      onDue: () => resume.wake(),
      onLost: (runId) => resume.lose(runId),
      onClaimed: (runId, revision) => resume.noteClaim(runId, revision),
    });
    resume = new ResumeRuns(
      due,
      async (runId) => answerToClaim(await desk.claim(runId)),
      (run, signals) => desk.segment(run, signals),
      clock,
      { maxSegments: 4, drainMs: 1_000 },
      {
        claimed: () => {},
        ended: (_runId, end) => ends.push(end),
        tableFailed: (failure) => ends.push(String(failure)),
        setAside: (_runId, failure) => ends.push(String(failure)),
      },
    );
    const { store, entropy } = desk.governance.streams;
    feed = new FeedRunner(due, { store, codec, clock, entropy });
    feed.start();
    resume.start();
  });

  afterEach(async () => {
    await Promise.all([clock.until(resume.stop()), clock.until(feed.stop())]);
    due.close();
  });

  async function started(): Promise<string> {
    const reply = await clock.until(desk.start({ configurationId: 'conf' }));
    if (!('runId' in reply)) throw new Error(`not started: ${JSON.stringify(reply)}`);
    return reply.runId;
  }

  async function lingering(): Promise<{ readonly runId: string; readonly signal: AbortSignal }> {
    const runId = await started();
    await clock.untilTrue(() => calls.length > 0);
    await clock.settle();
    return { runId, signal: (calls[0] as ToolCallContext).signal };
  }

  async function claimedByAnother(runId: string): Promise<number> {
    const revision = (await desk.events(runId)).length - 1;
    const leaseExpiresAt = new Date(clock.now() + 60_000).toISOString();
    const data = { claimId: 'another', workerId: 'w2', leaseExpiresAt, attempt: 1 };
    const by = { actor: { kind: 'worker', id: 'w2' }, correlationId: 'c' } as const;
    const { streams } = desk.governance;
    await streams.append<RunEventType>(runStream(runId), revision, [{ type: 'RunClaimed', data }], by);
    return revision + 1;
  }

  it('tells its tool as soon as the log tells of the other claim, and ends', async () => {
    const { runId, signal } = await lingering();
    expect(signal.aborted).toBe(false);
    await claimedByAnother(runId);
    await clock.settle();
    expect(signal.aborted).toBe(true);
    expect(ends).toEqual(['lost']);
    expect((await desk.events(runId)).at(-1)).toMatchObject({ type: 'RunClaimed', data: { workerId: 'w2' } });
  });

  it('is not taken over by its own claim, whenever the news of it comes', async () => {
    const { runId, signal } = await lingering();
    const claim = (await desk.events(runId)).find(({ type }) => type === 'RunClaimed');
    resume.noteClaim(runId, claim?.revision as number);
    expect(signal.aborted).toBe(false);
  });

  it('is not taken over by an earlier claim of the run, the news of which comes late', async () => {
    const { runId, signal } = await lingering();
    resume.noteClaim(runId, 0);
    expect(signal.aborted).toBe(false);
  });

  it('hears of it also where the news is there before the answer to its own claim', async () => {
    answerToClaim = async (reply) => {
      if (reply.reply === 'claimed') await claimedByAnother(runIdOf(reply.run.stream));
      await clock.settle();
      return reply;
    };
    await started();
    await clock.settle();
    await clock.untilTrue(() => ends.length > 0);
    expect(ends).toEqual(['lost']);
    for (const { signal } of calls) expect(signal.aborted).toBe(true);
  });
});

/** One tool, which ends when it is told that nobody wants its result any more. */
function lingeringTools(calls: ToolCallContext[]): ToolRegistry {
  const registry = new ToolRegistry();
  registry.register({
    declaration: {
      name: 'linger',
      description: 'Takes its time.',
      effect: 'read_only',
      dataClass: 'public',
      parameters: { type: 'object', properties: {} },
    },
    implementation: {
      execute: (_args: object, context: ToolCallContext) => {
        calls.push(context);
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason));
        });
      },
    },
  });
  return registry;
}
