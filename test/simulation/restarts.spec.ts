import type { ScriptedProvider } from '../../src/models/provider-configuration.js';
import { type Blow, RestartedRun, type RunStory } from './restarted-run.js';

type Turns = ScriptedProvider['turns'];

const LOOK = { toolName: 'look', arguments: { at: 1 } };
const ASK = { toolName: 'ask', arguments: { topic: 'size', amount: -1 } };

/** A run that waits for input and for an approval, around a write. */
function turnsWith(write: { readonly toolName: string; readonly arguments: object }): Turns {
  const calls = [[LOOK, ASK], [write, LOOK], [LOOK]];
  const named = calls.map((turn, index) => ({
    text: 'let me see',
    calls: turn.map((call, place) => ({ callId: `c${index}_${place}`, ...call })),
  }));
  return [...named, { text: 'the end' }] as Turns;
}

const REPEATABLE = turnsWith({ toolName: 'label', arguments: { label: 'seen' } });
const UNREPEATABLE = turnsWith({ toolName: 'refund', arguments: { cents: 5 } });

async function undisturbed(turns: Turns): Promise<{ story: RunStory; appends: number }> {
  const run = new RestartedRun(turns, () => null);
  const story = await run.play();
  expect(run.processes).toBe(1);
  return { story, appends: run.appends };
}

/** After every step; after a claim only once before the next step, because a run never ends of which nothing but claims is left. */
function afterEveryStep(blow: Exclude<Blow, null>) {
  let claimed = false;
  return (_append: number, [first]: readonly { readonly type: string }[]): Blow => {
    if (first?.type === 'RunRequeued') return null;
    const again = claimed && first?.type === 'RunClaimed';
    claimed = first?.type === 'RunClaimed';
    return again ? null : blow;
  };
}

describe('a run whose process is made anew between every two steps', () => {
  it('is, undisturbed, one that pauses twice and writes', async () => {
    const { story } = await undisturbed(UNREPEATABLE);
    expect(story.events).toEqual([
      'RunStarted',
      'ModelResponded',
      'RunSuspendedForInput',
      'InputSubmitted',
      'ToolCallCompleted c0_0 ok',
      'ToolCallCompleted c0_1 ok',
      'ModelResponded',
      'RunSuspendedForApproval',
      'ApprovalDecided',
      'ToolCallStarted c1_0',
      'ToolCallCompleted c1_0 ok',
      'ToolCallCompleted c1_1 ok',
      'ModelResponded',
      'ToolCallCompleted c2_0 ok',
      'ModelResponded',
      'RunCompleted finished',
    ]);
    expect(story.executions).toHaveLength(5);
    expect(story.asked.map((put) => put.length)).toEqual([1, 1, 1, 1]);
  });

  it.each<[string, Turns]>([
    ['that may be repeated', REPEATABLE],
    ['that may not', UNREPEATABLE],
  ])('CLM-3 CLM-6 is the same when each is asked to end, with a write %s', async (_what, turns) => {
    const { story } = await undisturbed(turns);
    const restarted = new RestartedRun(turns, afterEveryStep('stop'));
    expect(await restarted.play()).toEqual(story);
    expect(restarted.processes).toBeGreaterThan(story.events.length - 4);
  });

  it('CLM-3 CLM-6 is the same when each is killed', async () => {
    const { story } = await undisturbed(REPEATABLE);
    const restarted = new RestartedRun(REPEATABLE, afterEveryStep('kill'));
    expect(await restarted.play()).toEqual(story);
    expect(restarted.processes).toBeGreaterThan(story.events.length);
  });

  it('CLM-3 CLM-6 is the same whichever one of them is killed', async () => {
    const { story, appends } = await undisturbed(REPEATABLE);
    for (let append = 0; append < appends; append += 1) {
      const restarted = new RestartedRun(REPEATABLE, (at) => (at === append ? 'kill' : null));
      expect({ append, story: await restarted.play() }).toEqual({ append, story });
      expect(restarted.processes).toBe(2);
    }
  });

  it('CLM-4 never writes twice, and asks somebody where it was killed between word and deed', async () => {
    const { story, appends } = await undisturbed(UNREPEATABLE);
    const asking: number[] = [];
    for (let append = 0; append < appends; append += 1) {
      const restarted = new RestartedRun(UNREPEATABLE, (at) => (at === append ? 'kill' : null));
      const played = await restarted.play();
      if (!played.events.some((event) => event.startsWith('RunSuspendedForResolution'))) {
        expect(played).toEqual(story);
        continue;
      }
      asking.push(append);
      expect(played.executions).toEqual(story.executions.filter(({ callId }) => callId !== 'c1_0'));
    }
    expect(asking).toHaveLength(1);
  });
});
