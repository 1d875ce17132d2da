import type { ModelRequest } from '../../src/models/model-provider.js';
import type { ProviderConfiguration } from '../../src/models/provider-configuration.js';
import { simulatedTools } from '../simulation/simulated-tools.js';
import { Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';

/* What holds from one segment of a run to the next, and while one lasts. */

const usage = { inputTokens: 1, outputTokens: 1 };

/** Asks a person first, then ends; remembers who was asked what. */
class AskingModels {
  readonly asked: { readonly model: string; readonly request: ModelRequest }[] = [];

  clientFor(provider: ProviderConfiguration) {
    const model = 'model' in provider ? provider.model : provider.kind;
    return {
      ask: (request: ModelRequest) => {
        this.asked.push({ model, request: { ...request, messages: [...request.messages] } });
        const calls = this.asked.length === 1 ? [{ toolName: 'ask', arguments: '{}' }] : [];
        return Promise.resolve({ model, text: 'text', calls, usage });
      },
    };
  }
}

const aModel = (model: string): ProviderConfiguration => ({
  kind: 'openai-compatible',
  baseUrl: 'https://models.example/v1',
  model,
});

async function started(desk: RunDesk, more: object = {}): Promise<string> {
  const run = await desk.start({ configurationId: 'conf', ...more });
  if (run.outcome === 'rejected') throw new Error('not started');
  return run.runId;
}

describe('a segment after a pause', () => {
  it('LIF-8 goes on with the very prompt, options and allow-list of the start, whatever became of what they were made from', async () => {
    const models = new AskingModels();
    const desk = new RunDesk(runRemains(), models);
    const operator = new Operator(desk);
    await desk.know(olga);
    await operator.source('snippet:a');
    await operator.configuration({ provider: aModel('before'), systemPrompt: 'Be brief.', snippetIds: ['a'] });
    const options = { temperature: 0.5, maxOutputTokens: 77 };
    const runId = await started(desk, { options, allowedTools: ['ask', 'look'] });
    await desk.work(runId);
    await operator.source('snippet:a', { content: 'quite another text' });
    await operator.configuration({ provider: aModel('after'), systemPrompt: 'Be long.', snippetIds: [] });
    const later = new RunDesk(desk.remains, models, desk.registry);
    await later.submit(runId, { amount: 1 });
    await later.work(runId);

    const [first, second] = models.asked;
    const prompt = first?.request.messages ?? [];
    expect(second?.request.messages.slice(0, prompt.length)).toEqual(prompt);
    expect(second?.request.messages.slice(prompt.length).map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect([first?.request.options, second?.request.options]).toEqual([options, options]);
    const offered = models.asked.map(({ request }) => request.tools.map(({ name }) => name));
    expect(offered).toEqual([
      ['look', 'ask'],
      ['look', 'ask'],
    ]);
    // Whom it asks is looked up as it is now.
    expect([first?.model, second?.model]).toEqual(['before', 'after']);
  });
});

describe('a segment that lasts longer than its lease', () => {
  it('CLM-2 keeps extending it, so that no other worker gets the run, and none of it is done twice', async () => {
    const remains = runRemains();
    const { clock } = remains;
    const executed: string[] = [];
    const slow = simulatedTools(
      () => clock.wait(600_000),
      ({ callId }) => executed.push(callId),
    );
    const desk = new RunDesk(remains, undefined, slow);
    const turns = [{ calls: [{ callId: 'c1', toolName: 'look', arguments: { at: 1 } }] }, { text: 'done' }];
    await desk.know(olga);
    await new Operator(desk).configuration({ provider: { kind: 'scripted', turns } });
    const runId = await started(desk);
    const working = desk.work(runId);
    const other = new RunDesk(remains, undefined, slow);
    for (let minute = 0; minute < 9; minute += 1) {
      await clock.advance(60_000);
      expect(await other.work(runId)).toBe('not_claimable');
    }
    expect(await clock.until(working)).toBe('completed');
    const types = (await desk.events(runId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'RunClaimed')).toHaveLength(1);
    expect(types.filter((type) => type === 'LeaseExtended').length).toBeGreaterThanOrEqual(9);
    expect(executed).toEqual(['c1']);
  });
});
