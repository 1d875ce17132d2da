import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';
import { type History, readHistory, recordedHistories, restore, writeHistory } from './history-file.js';
import { RECORDINGS, type Recording, record, understood } from './recorder.js';

if (process.env.HOLDPOINT_RECORD_HISTORIES === '1') {
  beforeAll(async () => {
    const known = recordedHistories();
    for (const [name, recording] of Object.entries(RECORDINGS)) {
      if (!known.includes(name)) writeHistory(name, await record(recording));
    }
  });
}

/** Today's code on a log of then. */
function restored(history: History): { desk: RunDesk; operator: Operator } {
  const remains = runRemains();
  restore(history, remains.log, remains.keys);
  const desk = new RunDesk(remains);
  return { desk, operator: new Operator(desk) };
}

function recordingOf(name: string): Recording {
  const recording = RECORDINGS[name];
  if (recording === undefined) throw new Error(`nothing is known of ${name}`);
  return recording;
}

/** Answers whatever a run waits for, until it is settled. */
async function finish(desk: RunDesk, runId: string): Promise<string> {
  for (let pause = 0; pause < 5; pause += 1) {
    const { status } = await desk.state(runId);
    if (status === 'waiting_for_input') await desk.submit(runId, { amount: 8 }, olga);
    else if (status === 'waiting_for_approval') await desk.decide(runId, true, olga);
    else return status;
    await desk.work(runId);
  }
  throw new Error('the run does not come to its end');
}

describe('the recorded histories', () => {
  it('are those that the recorder knows', () => {
    expect(recordedHistories()).toEqual(Object.keys(RECORDINGS).sort());
  });

  it.each(Object.keys(RECORDINGS))('%s is read as it was meant', async (name) => {
    const history = readHistory(name);
    const { desk } = restored(history);
    expect(await understood(desk, history.runId)).toEqual(history.expected);
  });

  it.each(Object.keys(RECORDINGS))('%s goes on to its end, once the operator lets it', async (name) => {
    const { runId, expected, ...history } = readHistory(name);
    const { desk, operator } = restored({ runId, expected, ...history });
    const { provider } = recordingOf(name);
    await operator.configuration({ provider, trustZone: 'local', systemPrompt: 'be kind', snippetIds: ['house'] });
    expect(await finish(desk, runId)).toBe('completed');
  });

  it.each(Object.keys(RECORDINGS))('%s is recorded today as something that is read the same', async (name) => {
    const history = await record(recordingOf(name));
    const { status, content } = await understood(restored(history).desk, history.runId);
    expect({ status, types: content.map(({ type }) => type) }).toEqual({
      status: readHistory(name).expected.status,
      types: readHistory(name).expected.content.map(({ type }) => type),
    });
  });

  it('together hold RunStarted in every version that was ever written', () => {
    const versions = recordedHistories().flatMap((name) =>
      readHistory(name)
        .events.filter(({ type }) => type === 'RunStarted')
        .map(({ metadata }) => JSON.parse(metadata).schemaVersion as number),
    );
    const current = EVENT_CATALOGUE.RunStarted?.schemaVersion ?? 0;
    expect([...new Set(versions)].sort()).toEqual(Array.from({ length: current }, (_, index) => index + 1));
  });
});

describe('a run from before its events named its sources', () => {
  const OLD = ['run-started-1-waiting-for-input', 'run-started-1-waiting-for-approval'];

  it.each(OLD)('SRC-5 %s resumes as if it had forced none, wherever it leads now', async (name) => {
    const { runId, ...history } = readHistory(name);
    const { desk, operator } = restored({ runId, ...history });
    const { provider } = recordingOf(name);
    // The forced skill is too sensitive for it, and so would the run have been that named it.
    await operator.configuration({ provider, trustZone: null, snippetIds: ['house'] });
    expect(await finish(desk, runId)).toBe('completed');
    expect(await desk.state(runId)).toMatchObject({ forcedSnippetIds: [], forcedSkillIds: [], sourceIds: [] });
  });

  it.each(OLD)('SRC-5 %s is still held back by the live sources of its configuration', async (name) => {
    const { runId, ...history } = readHistory(name);
    const { desk, operator } = restored({ runId, ...history });
    const { provider } = recordingOf(name);
    await operator.source('snippet:house', { dataClass: 'diagnostics' });
    await operator.configuration({ provider, trustZone: null, snippetIds: ['house'] });
    const answered = name.endsWith('input') ? desk.submit(runId, { amount: 8 }) : desk.decide(runId, true);
    expect(await answered).toMatchObject({
      outcome: 'rejected',
      rejection: { code: 'context_blocked', source: 'snippet:house', zone: 'external_global' },
    });
  });

  it('SRC-3 the same run of today is held back by what it forced', async () => {
    const { runId, ...history } = readHistory('waiting-for-input');
    const { desk, operator } = restored({ runId, ...history });
    const { provider } = recordingOf('waiting-for-input');
    await operator.configuration({ provider, trustZone: null, snippetIds: ['house'] });
    expect(await desk.submit(runId, { amount: 8 })).toMatchObject({
      rejection: { code: 'context_blocked', source: 'skill:craft', dataClass: 'diagnostics' },
    });
  });
});
