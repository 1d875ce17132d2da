import { ERASED } from '../../src/event-store/sealing.js';
import { isJsonObject, type JsonObject } from '../../src/events/json.js';
import { runStream } from '../../src/events/run-events.js';
import type { ProviderConfiguration } from '../../src/models/provider-configuration.js';
import { Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';
import { type History, snapshot } from './history-file.js';

/*
 * Records histories with the real commands and the real loop. Run it as
 * `HOLDPOINT_RECORD_HISTORIES=1 npx jest test/histories`: it writes those that are not there yet, and no other.
 */

const ASK = { toolName: 'ask', arguments: { topic: 'size' } };
const REFUND = { toolName: 'refund', arguments: { cents: 5 } };
const LOOK = { toolName: 'look', arguments: { at: 1 } };

export interface Recording {
  readonly about: string;
  readonly provider: ProviderConfiguration;
  /** What is done with the run, up to where the history ends. */
  readonly play: (desk: RunDesk, runId: string, operator: Operator) => Promise<void>;
  /** What was different in the events of an older version. */
  readonly rewrite?: (events: History['events']) => History['events'];
}

function script(
  ...turns: readonly (readonly { readonly toolName: string; readonly arguments: JsonObject }[])[]
): ProviderConfiguration {
  return {
    kind: 'scripted',
    turns: turns.map((calls, turn) => ({
      text: 'let me see',
      calls: calls.map((call, place) => ({ callId: `c${turn}_${place}`, ...call })),
    })),
  };
}

const twoPauses: Recording = {
  about: 'a completed run that waited for input and then for approval',
  provider: script([LOOK, ASK], [REFUND]),
  async play(desk, runId) {
    await desk.work(runId);
    await desk.submit(runId, { amount: 7, note: 'as agreed' });
    await desk.work(runId);
    await desk.decide(runId, true);
    await desk.work(runId);
  },
};

const waiting: Recording = {
  about: 'a run that waits for input, with a snippet and a forced skill in its prompt',
  provider: script([ASK, LOOK]),
  play: async (desk, runId) => void (await desk.work(runId)),
};

const approval: Recording = {
  about: 'a run that waits for approval of a write',
  provider: script([LOOK, REFUND]),
  play: async (desk, runId) => void (await desk.work(runId)),
};

const released: Recording = {
  about: 'a run whose answer was handed back, because its provider had become less trusted',
  provider: script([ASK]),
  async play(desk, runId, operator) {
    await desk.work(runId);
    await desk.submit(runId, { amount: 7 });
    await operator.configuration({ ...recordedConfiguration(script([ASK])), trustZone: 'external_eu' });
    await desk.work(runId);
  },
};

export const RECORDINGS: { readonly [name: string]: Recording } = {
  'completed-after-two-pauses': twoPauses,
  'waiting-for-input': waiting,
  'waiting-for-approval': approval,
  'released-to-its-pause': released,
  'run-started-1-waiting-for-input': {
    ...waiting,
    about: 'a run that waits for input, from before runs said which sources are in their prompt',
    rewrite: withoutSources,
  },
  'run-started-1-waiting-for-approval': {
    ...approval,
    about: 'a run that waits for approval, from before runs said which sources are in their prompt',
    rewrite: withoutSources,
  },
};

export async function record({ about, provider, play, rewrite = (events) => events }: Recording): Promise<History> {
  const remains = runRemains();
  const desk = new RunDesk(remains);
  const operator = new Operator(desk);
  await desk.know(olga);
  await operator.source('snippet:house', { dataClass: 'internal', content: 'the house rules' });
  await operator.source('skill:craft', { dataClass: 'diagnostics', content: 'how it is done' });
  await operator.configuration(recordedConfiguration(provider));
  const started = await desk.start({ configurationId: 'conf', forcedSkillIds: ['craft'] });
  if (started.outcome === 'rejected') throw new Error('the run of a recording starts');
  await play(desk, started.runId, operator);
  const { events, keys } = snapshot(remains.log, remains.keys);
  return {
    about,
    runId: started.runId,
    expected: await understood(desk, started.runId),
    events: rewrite(events),
    keys,
  };
}

/** What a process makes of a run: where it stands, and all of its content. */
export async function understood(desk: RunDesk, runId: string): Promise<History['expected']> {
  const { codec, keys } = desk.governance.streams;
  const held = await keys.find(runStream(runId));
  const content = (await desk.events(runId)).flatMap((event) => {
    if (event.sealed === undefined) return [];
    const opened = codec.open(event, held);
    return [{ type: event.type, content: opened === ERASED ? {} : opened }];
  });
  return { status: (await desk.state(runId)).status, content };
}

function recordedConfiguration(provider: ProviderConfiguration) {
  return { provider, trustZone: 'local', systemPrompt: 'be kind', snippetIds: ['house'] };
}

/** `RunStarted` as version 1 had it: what is sealed is bound to its event, and stays as it is. */
function withoutSources(events: History['events']): History['events'] {
  return events.map((event) => {
    if (event.type !== 'RunStarted') return event;
    const { forcedSnippetIds, forcedSkillIds, sourceIds, skippedSourceIds, ...data } = parsed(event.data);
    return {
      ...event,
      data: JSON.stringify(data),
      metadata: JSON.stringify({ ...parsed(event.metadata), schemaVersion: 1 }),
    };
  });
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('an event is an object');
  return value;
}
