import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { runStream } from '../../src/events/run-events.js';
import type { ModelClients } from '../../src/models/model-clients.js';
import { ModelCallFailed, type ModelFailureClass, type ModelRequest } from '../../src/models/model-provider.js';
import type { ProviderConfiguration } from '../../src/models/provider-configuration.js';
import { MARKER, Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';

const DONE: ProviderConfiguration = { kind: 'scripted', turns: [] };

/** Models that answer at once, or fail, and remember what each was asked. */
class RecordedModels {
  readonly asked: { readonly model: string; readonly request: ModelRequest }[] = [];
  /** What the world does before the model has answered. */
  meanwhile: () => Promise<void> = async () => {};

  constructor(private readonly failures: Readonly<Record<string, ModelFailureClass>> = {}) {}

  clientFor(provider: ProviderConfiguration): ReturnType<ModelClients['clientFor']> {
    const model = 'model' in provider ? provider.model : provider.kind;
    return {
      ask: async (request) => {
        this.asked.push({ model, request: { ...request, messages: [...request.messages] } });
        await this.meanwhile();
        const failure = this.failures[model];
        if (failure !== undefined) throw new ModelCallFailed(failure);
        return { model, text: 'done', calls: [], usage: { inputTokens: 1, outputTokens: 1 } };
      },
    };
  }
}

function aModel(model: string): ProviderConfiguration {
  return { kind: 'openai-compatible', baseUrl: 'https://models.example/v1', model };
}

async function aDesk(models = new RecordedModels()) {
  const desk = new RunDesk(runRemains(), models);
  await desk.know(olga);
  return { desk, operator: new Operator(desk), models };
}

async function startedRun(desk: RunDesk, forced: { forcedSnippetIds?: string[]; forcedSkillIds?: string[] } = {}) {
  const started = await desk.start({ configurationId: 'conf', ...forced });
  if (started.outcome === 'rejected') throw new Error(`not started: ${JSON.stringify(started.rejection)}`);
  return started.runId;
}

describe('the prompt of a run', () => {
  it('LIF-8 leads with the system prompt and each source once, in the order in which they were given', async () => {
    const { desk, operator, models } = await aDesk();
    for (const name of ['snippet:a', 'snippet:b', 'skill:a', 'skill:c', 'snippet:d']) await operator.source(name);
    await operator.configuration({
      provider: DONE,
      systemPrompt: 'be kind',
      snippetIds: ['b', 'a', 'b'],
      skillIds: ['a'],
    });
    const runId = await startedRun(desk, { forcedSnippetIds: ['a', 'd'], forcedSkillIds: ['c', 'a'] });
    await desk.work(runId);
    expect(models.asked[0]?.request.messages.map(({ role, content }) => [role, content.split(' says ')[0]])).toEqual([
      ['system', 'be kind'],
      ['system', 'snippet:b'],
      ['system', 'snippet:a'],
      ['system', 'skill:a'],
      ['system', 'snippet:d'],
      ['system', 'skill:c'],
      ['user', 'go'],
    ]);
    expect(await desk.last(runId, 'RunStarted')).toMatchObject({
      sourceIds: ['snippet:b', 'snippet:a', 'skill:a', 'snippet:d', 'skill:c'],
      skippedSourceIds: [],
      forcedSnippetIds: ['a', 'd'],
      forcedSkillIds: ['c', 'a'],
    });
  });

  it('SRC-4 leaves out what is inactive, deleted or was never there, says so, and is not held back by it', async () => {
    const { desk, operator } = await aDesk();
    await operator.source('snippet:off', { dataClass: 'secret_adjacent', active: false });
    await operator.source('skill:gone', { dataClass: 'secret_adjacent' });
    await operator.forget('skill:gone');
    await operator.source('snippet:on', { dataClass: 'public' });
    await operator.configuration({ provider: DONE, trustZone: null, snippetIds: ['off', 'on'], skillIds: ['gone'] });
    const runId = await startedRun(desk, { forcedSnippetIds: ['never'] });
    expect(await desk.last(runId, 'RunStarted')).toMatchObject({
      sourceIds: ['snippet:on'],
      skippedSourceIds: ['snippet:off', 'skill:gone', 'snippet:never'],
    });
    expect(await desk.work(runId)).toBe('completed');
  });

  it('SEA-1 has its sources in the log only sealed, names and all', async () => {
    const { desk, operator } = await aDesk();
    await operator.source('snippet:a', { dataClass: 'public' });
    await operator.configuration({ provider: DONE, snippetIds: ['a'] });
    await desk.work(await startedRun(desk));
    expect(JSON.stringify(desk.remains.log.events.map(({ data, metadata }) => [data, metadata]))).not.toContain(MARKER);
    const { SnippetPut, SkillPut } = EVENT_CATALOGUE;
    expect([SnippetPut?.sealedWith, SkillPut?.sealedWith]).toEqual(['working', 'working']);
  });
});

describe('the ceiling before a run exists', () => {
  it('SRC-6 refuses the start, and nothing is written', async () => {
    const { desk, operator } = await aDesk();
    await operator.source('skill:a', { dataClass: 'source_code' });
    await operator.configuration({ provider: DONE, trustZone: 'external_global' });
    const written = desk.remains.log.events.length;
    const refused = await desk.start({ configurationId: 'conf', forcedSkillIds: ['a'] });
    const over = { source: 'skill:a', dataClass: 'source_code', zone: 'external_global' };
    expect(refused).toEqual({ outcome: 'rejected', rejection: { code: 'context_blocked', ...over } });
    expect(desk.remains.log.events).toHaveLength(written);
    await operator.enforcement('observe');
    const runId = await startedRun(desk, { forcedSkillIds: ['a'] });
    expect(await desk.work(runId)).toBe('completed');
    expect((await desk.last(runId, 'ModelResponded'))?.contextObserved).toBe(true);
  });

  it('SRC-7 enforces where the policy holds a word that nobody knows, and where it cannot be read', async () => {
    for (const data of ['{"mode":"observing"}', '{"mode":17}']) {
      const { desk, operator } = await aDesk();
      await operator.source('skill:a', { dataClass: 'source_code' });
      await operator.configuration({ provider: DONE, trustZone: null });
      const metadata = JSON.stringify({
        $correlationId: 'c',
        schemaVersion: 1,
        actor: { kind: 'system', id: 's' },
        at: '2030-01-01T00:00:00.000Z',
      });
      const event = { id: 'e', type: 'DataClassEnforcementPut', data, metadata };
      desk.remains.log.append('policy-data_class_enforcement', 'no_stream', [event]);
      const refused = await desk.start({ configurationId: 'conf', forcedSkillIds: ['a'] });
      expect(refused).toMatchObject({ rejection: { code: 'context_blocked' } });
    }
  });
});

describe('the ceiling before a model call', () => {
  it('SRC-6 fails a run that was blocked between its start and its first claim', async () => {
    const { desk, operator, models } = await aDesk();
    await operator.source('snippet:a', { dataClass: 'diagnostics' });
    await operator.configuration({ provider: DONE, snippetIds: ['a'] });
    const runId = await startedRun(desk);
    await operator.configuration({ provider: DONE, trustZone: 'external_eu' });
    expect(await desk.work(runId)).toBe('failed');
    expect(models.asked).toEqual([]);
    expect(await desk.last(runId, 'RunFailed')).toEqual({
      reason: 'context_blocked',
      errorClass: 'none',
      detail: 'at_claim',
      sourceId: 'snippet:a',
      dataClass: 'diagnostics',
      zone: 'external_eu',
    });
  });

  it('SRC-6 fails a run that is blocked in the middle of a segment: what was answered stays, and no more is sent', async () => {
    const models = new RecordedModels();
    const desk = new RunDesk(runRemains(), {
      clientFor: (provider) => {
        const { ask } = models.clientFor(provider);
        const calls = [{ callId: 'c1', toolName: 'look', arguments: '{"at":1}' }];
        return { ask: async (request) => ({ ...(await ask(request)), calls }) };
      },
    });
    const operator = new Operator(desk);
    models.meanwhile = () => operator.source('snippet:a', { dataClass: 'secret_adjacent' });
    await desk.know(olga);
    await operator.source('snippet:a', { dataClass: 'public' });
    await operator.configuration({ provider: DONE, trustZone: 'private_hosted', snippetIds: ['a'] });
    const runId = await startedRun(desk);
    expect(await desk.work(runId)).toBe('failed');
    expect(models.asked).toHaveLength(1);
    expect(desk.executions).toHaveLength(1);
    expect(await desk.last(runId, 'RunFailed')).toMatchObject({
      reason: 'context_blocked',
      detail: 'at_model_call',
      sourceId: 'snippet:a',
    });
  });

  it('SRC-8 offers no tool above the ceiling, and one that is only observed is recorded as that', async () => {
    const { desk, operator, models } = await aDesk();
    desk.registry.register({
      declaration: { name: 'dig', description: 'Digs.', effect: 'read_only', parameters: { type: 'object' } },
      implementation: { execute: () => 'dug' },
    });
    await operator.configuration({ provider: DONE, trustZone: 'external_eu', allowedTools: ['look', 'dig'] });
    const enforced = await startedRun(desk);
    await desk.work(enforced);
    await operator.enforcement('observe');
    const observed = await startedRun(desk);
    await desk.work(observed);
    const withNone = await desk.start({ configurationId: 'conf', allowedTools: [] });
    await desk.work('runId' in withNone ? withNone.runId : '');
    expect(models.asked.map(({ request }) => request.tools.map(({ name }) => name))).toEqual([
      ['look'],
      ['look', 'dig'],
      [],
    ]);
    expect(await desk.last(enforced, 'ModelResponded')).not.toHaveProperty('contextObserved');
    expect((await desk.last(observed, 'ModelResponded'))?.contextObserved).toBe(true);
  });
});

describe('a configuration that is not there when the model is to be asked', () => {
  it('LIF-7 has failed the run where it was deleted while the first provider was silent', async () => {
    const { desk, operator, models } = await aDesk(new RecordedModels({ first: 'timeout' }));
    models.meanwhile = () => operator.deleteConfiguration();
    await operator.configuration({
      provider: aModel('first'),
      fallbacks: [{ provider: aModel('second'), trustZone: 'local' }],
    });
    const runId = await startedRun(desk);
    expect(await desk.work(runId)).toBe('failed');
    expect(models.asked).toHaveLength(1);
    expect(await desk.last(runId, 'RunFailed')).toMatchObject({ reason: 'configuration_gone' });
  });

  it('LIF-7 has failed the run where its content cannot be opened any more', async () => {
    const { desk, operator, models } = await aDesk();
    await operator.configuration({ provider: DONE });
    const runId = await startedRun(desk);
    await desk.governance.streams.keys.destroy('configuration-conf', 'working');
    expect(await desk.work(runId)).toBe('failed');
    expect(models.asked).toEqual([]);
    expect(await desk.last(runId, 'RunFailed')).toMatchObject({
      reason: 'provider_failed',
      errorClass: 'misconfigured',
    });
  });
});

describe('a chain of providers', () => {
  const chain = {
    provider: aModel('first'),
    fallbacks: ['second', 'third'].map((model) => ({ provider: aModel(model), trustZone: 'local' })),
  };

  it.each<ModelFailureClass>(['timeout', 'rate_limited', 'server_error', 'connection', 'circuit_open'])(
    'CLM-5 goes on to the next provider after the failure %s',
    async (failure) => {
      const { desk, operator, models } = await aDesk(new RecordedModels({ first: failure, second: 'timeout' }));
      await operator.configuration(chain);
      const runId = await startedRun(desk);
      expect(await desk.work(runId)).toBe('completed');
      expect(models.asked.map(({ model }) => model)).toEqual(['first', 'second', 'third']);
      expect((await desk.last(runId, 'ModelResponded'))?.model).toBe('third');
    },
  );

  it.each<ModelFailureClass>(['bad_request', 'unauthorized', 'malformed_answer', 'misconfigured'])(
    'CLM-5 ends with the failure %s, which another provider would not mend',
    async (failure) => {
      const { desk, operator, models } = await aDesk(new RecordedModels({ first: failure }));
      await operator.configuration(chain);
      expect(await desk.work(await startedRun(desk))).toBe('failed');
      expect(models.asked).toHaveLength(1);
    },
  );

  it('CLM-5 requeues the run once, when all of it has failed', async () => {
    const { desk, operator, models } = await aDesk(
      new RecordedModels({ first: 'timeout', second: 'connection', third: 'server_error' }),
    );
    await operator.configuration(chain);
    const runId = await startedRun(desk);
    expect(await desk.work(runId)).toBe('queued');
    expect(models.asked).toHaveLength(3);
    expect(await desk.last(runId, 'RunRequeued')).toMatchObject({ reason: 'server_error', attempt: 1 });
  });

  it('SRC-2 sends nothing to the first either, where the last is not trusted enough', async () => {
    const { desk, operator, models } = await aDesk();
    await operator.source('snippet:a', { dataClass: 'source_code' });
    await operator.configuration({
      ...chain,
      snippetIds: ['a'],
      fallbacks: [{ provider: aModel('second'), trustZone: null }],
    });
    expect(await desk.start({ configurationId: 'conf' })).toMatchObject({ rejection: { code: 'context_blocked' } });
    expect(models.asked).toEqual([]);
  });

  it('SRC-6 judges anew before each hop: a class raised while the first was silent keeps the second from hearing it', async () => {
    const { desk, operator, models } = await aDesk(new RecordedModels({ first: 'timeout' }));
    models.meanwhile = () => operator.source('snippet:a', { dataClass: 'secret_adjacent' });
    await operator.source('snippet:a', { dataClass: 'public' });
    await operator.configuration({ ...chain, trustZone: 'private_hosted', snippetIds: ['a'] });
    const runId = await startedRun(desk);
    expect(await desk.work(runId)).toBe('failed');
    expect(models.asked.map(({ model }) => model)).toEqual(['first']);
    expect(await desk.last(runId, 'RunFailed')).toMatchObject({ reason: 'context_blocked', sourceId: 'snippet:a' });
  });

  it('LIF-8 decides the step again where the configuration was changed while the first was silent', async () => {
    const { desk, operator, models } = await aDesk(new RecordedModels({ first: 'timeout' }));
    models.meanwhile = () => operator.configuration({ ...chain, provider: aModel('other'), fallbacks: [] });
    await operator.configuration(chain);
    const runId = await startedRun(desk);
    expect(await desk.work(runId)).toBe('completed');
    expect(models.asked.map(({ model }) => model)).toEqual(['first', 'other']);
    expect(desk.remains.log.read(runStream(runId), 0).map(({ type }) => type)).toEqual([
      'RunStarted',
      'RunClaimed',
      'ModelResponded',
      'RunCompleted',
    ]);
  });
});
