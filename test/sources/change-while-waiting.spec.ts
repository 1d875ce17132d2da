import type { ConfigurationDocument } from '../../src/governance/configuration-document.js';
import type { ProviderConfiguration } from '../../src/models/provider-configuration.js';
import { MARKER, Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';

/*
 * A run waits; meanwhile an operator changes what it depends on. The outcome is the rule's, whichever pause it is,
 * whether the change comes before the answer or between the answer and its claim, and whether or not the process
 * remembers how things were.
 */

const PAUSES = {
  input: { toolName: 'ask', arguments: { topic: 'size' } },
  approval: { toolName: 'refund', arguments: { cents: 5 } },
} as const;
type PauseKind = keyof typeof PAUSES;

/** An external_eu provider, which may receive `configuration` and nothing stricter. */
function base(kind: PauseKind): Partial<ConfigurationDocument> {
  return { provider: asking(kind), trustZone: 'external_eu', snippetIds: ['house'], skillIds: ['craft'] };
}

function asking(kind: PauseKind): ProviderConfiguration {
  return { kind: 'scripted', turns: [{ calls: [{ callId: 'c1', ...PAUSES[kind] }] }] };
}

type Change = (operator: Operator, kind: PauseKind) => Promise<void>;

const blocked = (source: string, dataClass: string, zone: string) => ({
  code: 'context_blocked',
  source,
  dataClass,
  zone,
});
const permitted = null;

/** What is done, how it is mended, and what an answer hears: a code with its members, or that it is accepted. */
const CHANGES: [name: string, change: Change, outcome: object | null, mend: Change][] = [
  [
    'SRC-3 the class of a forced source raised',
    (operator) => operator.source('snippet:forced', { dataClass: 'diagnostics' }),
    blocked('snippet:forced', 'diagnostics', 'external_eu'),
    (operator) => operator.source('snippet:forced', { dataClass: 'configuration' }),
  ],
  [
    "SRC-3 the class of a configuration's skill raised",
    (operator) => operator.source('skill:craft', { dataClass: 'secret_adjacent' }),
    blocked('skill:craft', 'secret_adjacent', 'external_eu'),
    (operator) => operator.source('skill:craft', { dataClass: 'public' }),
  ],
  [
    'SRC-3 the class of a forced source lowered, and the provider with it',
    async (operator, kind) => {
      await operator.source('snippet:forced', { dataClass: 'public' });
      await operator.configuration({ ...base(kind), trustZone: 'external_global' });
    },
    permitted,
    async () => {},
  ],
  [
    'SRC-4 a forced source deactivated',
    (operator) => operator.source('snippet:forced', { dataClass: 'configuration', active: false }),
    permitted,
    async () => {},
  ],
  [
    'SRC-4 a forced source deactivated and stricter than before',
    (operator) => operator.source('snippet:forced', { dataClass: 'diagnostics', active: false }),
    blocked('snippet:forced', 'diagnostics', 'external_eu'),
    (operator) => operator.source('snippet:forced', { dataClass: 'configuration', active: false }),
  ],
  [
    'SRC-2 a source that was in the prompt taken out of the configuration, and stricter than before',
    async (operator, kind) => {
      await operator.configuration({ ...base(kind), snippetIds: [] });
      await operator.source('snippet:house', { dataClass: 'diagnostics' });
    },
    blocked('snippet:house', 'diagnostics', 'external_eu'),
    (operator) => operator.source('snippet:house'),
  ],
  [
    'SRC-2 two sources of one class, of which the first of the prompt is blamed',
    async (operator) => {
      await operator.source('snippet:forced', { dataClass: 'diagnostics' });
      await operator.source('skill:craft', { dataClass: 'diagnostics' });
    },
    blocked('skill:craft', 'diagnostics', 'external_eu'),
    async (operator) => {
      await operator.source('snippet:forced');
      await operator.source('skill:craft');
    },
  ],
  [
    'SRC-4 the strict sources deleted, and the provider less trusted',
    async (operator, kind) => {
      await operator.forget('snippet:forced');
      await operator.forget('snippet:house');
      await operator.configuration({ ...base(kind), trustZone: 'external_global' });
    },
    permitted,
    async () => {},
  ],
  [
    'SRC-4 a forced source deleted and made again, stricter',
    async (operator) => {
      await operator.forget('snippet:forced');
      await operator.source('snippet:forced', { dataClass: 'secret_adjacent' });
    },
    blocked('snippet:forced', 'secret_adjacent', 'external_eu'),
    (operator) => operator.forget('snippet:forced'),
  ],
  [
    'SRC-4 the strict sources deleted and made again without a class, and the provider less trusted',
    async (operator, kind) => {
      for (const name of ['snippet:forced', 'snippet:house']) {
        await operator.forget(name);
        await operator.source(name);
      }
      await operator.configuration({ ...base(kind), trustZone: 'external_global' });
    },
    permitted,
    async () => {},
  ],
  [
    'SRC-3 the configuration pointed at a less trusted provider',
    (operator, kind) => operator.configuration({ ...base(kind), trustZone: 'external_global' }),
    blocked('snippet:forced', 'configuration', 'external_global'),
    (operator, kind) => operator.configuration(base(kind)),
  ],
  [
    'SRC-3 a less trusted fallback added',
    (operator, kind) =>
      operator.configuration({ ...base(kind), fallbacks: [{ provider: asking(kind), trustZone: null }] }),
    blocked('snippet:forced', 'configuration', 'external_global'),
    (operator, kind) => operator.configuration(base(kind)),
  ],
  [
    'SRC-2 a stricter source added to the configuration',
    async (operator, kind) => {
      await operator.source('snippet:late', { dataClass: 'diagnostics' });
      await operator.configuration({ ...base(kind), snippetIds: ['house', 'late'] });
    },
    blocked('snippet:late', 'diagnostics', 'external_eu'),
    (operator, kind) => operator.configuration(base(kind)),
  ],
  [
    'SRC-4 a stricter source that is not active added to the configuration',
    async (operator, kind) => {
      await operator.source('snippet:late', { dataClass: 'diagnostics', active: false });
      await operator.configuration({ ...base(kind), snippetIds: ['house', 'late'] });
    },
    permitted,
    async () => {},
  ],
  [
    'SRC-7 the provider less trusted, and the ceiling only observed',
    async (operator, kind) => {
      await operator.configuration({ ...base(kind), trustZone: 'external_global' });
      await operator.enforcement('observe');
    },
    permitted,
    async () => {},
  ],
  [
    'LIF-7 the configuration deleted',
    (operator) => operator.deleteConfiguration(),
    { code: 'configuration_gone' },
    (operator, kind) => operator.configuration(base(kind)),
  ],
];

const KINDS = Object.keys(PAUSES) as PauseKind[];
const PROCESSES = ['warm', 'restarted'] as const;
const CASES = CHANGES.flatMap((change) =>
  KINDS.flatMap((kind) => PROCESSES.map((process) => [change[0], kind, process, change] as const)),
);

/** A run that waits, its prompt holding `house` (internal), `craft` (public) and the forced source (configuration). */
async function waitingRun(kind: PauseKind, prepare: Change = async () => {}) {
  const desk = new RunDesk(runRemains());
  const operator = new Operator(desk);
  await desk.know(olga);
  await operator.source('snippet:house', { dataClass: 'internal' });
  await operator.source('skill:craft', { dataClass: 'public' });
  await operator.source('snippet:forced', { dataClass: 'configuration' });
  await operator.configuration(base(kind));
  await prepare(operator, kind);
  const started = await desk.start({ configurationId: 'conf', forcedSnippetIds: ['forced'] });
  if (started.outcome === 'rejected') throw new Error(`not started: ${JSON.stringify(started.rejection)}`);
  const { runId } = started;
  expect(await desk.work(runId)).toBe(`waiting_for_${kind}`);
  return { desk, operator, runId };
}

function answer(desk: RunDesk, runId: string, kind: PauseKind, amount = 1) {
  return kind === 'input' ? desk.submit(runId, { amount }) : desk.decide(runId, true);
}

/** What a rejection names of itself; the pause of a stale turn would be more. */
function rejectionOf(result: { readonly outcome: string }): object | null {
  return result.outcome === 'rejected' ? (result as { readonly rejection: object } & typeof result).rejection : null;
}

describe('a change while a run waits, before it is answered', () => {
  it.each(CASES)('%s: %s, %s', async (_name, kind, process, [, change, outcome, mend]) => {
    const { desk: warm, operator, runId } = await waitingRun(kind);
    await change(operator, kind);
    const desk = process === 'warm' ? warm : warm.restarted();
    const before = (await desk.events(runId)).length;

    const first = await answer(desk, runId, kind);
    expect(rejectionOf(first)).toEqual(outcome);
    if (outcome !== null) {
      // SUB-9: a refusal consumes nothing, a denial is refused as well, and after the mend the same pause is answered.
      if (kind === 'approval') expect(rejectionOf(await desk.decide(runId, false))).toEqual(outcome);
      expect(await desk.events(runId)).toHaveLength(before);
      await mend(operator, kind);
      expect(rejectionOf(await answer(desk, runId, kind))).toBeNull();
    }
    expect(await desk.work(runId)).toBe('completed');
    expect(desk.executions.map(({ callId }) => callId)).toEqual(['c1']);
    expect(JSON.stringify([first, await desk.events(runId)], bigints)).not.toContain(MARKER);
  });
});

describe('a change between an answer and its claim', () => {
  it.each(CASES)('%s: %s, %s', async (_name, kind, process, [, change, outcome, mend]) => {
    const { desk: warm, operator, runId } = await waitingRun(kind);
    expect(rejectionOf(await answer(warm, runId, kind, 1))).toBeNull();
    await change(operator, kind);
    const desk = process === 'warm' ? warm : warm.restarted();

    if (outcome !== null) {
      expect(await desk.work(runId)).toBe('released');
      const { code, source, ...others } = outcome as { code: string; source?: string };
      expect(await desk.last(runId, 'RunReleased')).toEqual({
        reason: code,
        ...(source === undefined ? {} : { sourceId: source }),
        ...others,
      });
      expect(await desk.state(runId)).toMatchObject({ status: `waiting_for_${kind}`, turn: { answer: null } });
      expect(await desk.work(runId)).toBe('not_claimable');
      // The first values are void: the answer is judged again, and what executes is the second one (TRN-5).
      expect(rejectionOf(await answer(desk, runId, kind, 1))).toEqual(outcome);
      await mend(operator, kind);
      expect(rejectionOf(await answer(desk, runId, kind, 2))).toBeNull();
    }
    expect(await desk.work(runId)).toBe('completed');
    const executed = {
      callId: 'c1',
      arguments: kind === 'input' ? { amount: outcome === null ? 1 : 2 } : { cents: 5 },
    };
    expect(desk.executions).toMatchObject([executed]);
    expect(desk.executions).toHaveLength(1);
    expect(JSON.stringify(await desk.events(runId), bigints)).not.toContain(MARKER);
  });
});

describe('enforcement and tools while a run waits', () => {
  const REFUSED_TOOL = {
    input: { code: 'submitter_not_permitted', toolName: 'ask', reason: 'tool_disabled' },
    approval: { code: 'approver_not_permitted', toolName: 'refund', reason: 'tool_disabled' },
  };
  const BOTH = KINDS.flatMap((kind) => PROCESSES.map((process) => [kind, process] as const));

  it.each(BOTH)('SRC-3 SRC-7 enforcing what was only observed refuses the answer: %s, %s', async (kind, process) => {
    const {
      desk: warm,
      operator,
      runId,
    } = await waitingRun(kind, async (operator, pause) => {
      await operator.configuration({ ...base(pause), trustZone: 'external_global' });
      await operator.enforcement('observe');
    });
    expect((await warm.last(runId, 'ModelResponded'))?.contextObserved).toBe(true);
    await operator.enforcement('enforce');
    const desk = process === 'warm' ? warm : warm.restarted();
    expect(rejectionOf(await answer(desk, runId, kind))).toEqual(
      blocked('snippet:forced', 'configuration', 'external_global'),
    );
    await operator.enforcement('observe');
    expect(rejectionOf(await answer(desk, runId, kind))).toBeNull();
    await operator.enforcement('enforce');
    expect(await desk.work(runId)).toBe('released');
    await operator.enforcement('observe');
    expect(rejectionOf(await answer(desk, runId, kind))).toBeNull();
    expect(await desk.work(runId)).toBe('completed');
    expect((await desk.last(runId, 'ModelResponded'))?.contextObserved).toBe(true);
  });

  it.each(BOTH)('SUB-2 SUB-3 SUB-10 a tool switched off refuses and releases: %s, %s', async (kind, process) => {
    const { desk: warm, operator, runId } = await waitingRun(kind);
    const { toolName } = PAUSES[kind];
    await operator.tool(toolName, false);
    const desk = process === 'warm' ? warm : warm.restarted();
    expect(rejectionOf(await answer(desk, runId, kind))).toEqual(REFUSED_TOOL[kind]);
    await operator.tool(toolName, true);
    expect(rejectionOf(await answer(desk, runId, kind))).toBeNull();
    await operator.tool(toolName, false);
    expect(await desk.work(runId)).toBe('released');
    expect(await desk.last(runId, 'RunReleased')).toEqual({ reason: REFUSED_TOOL[kind].code, toolName });
    await operator.tool(toolName, true);
    expect(rejectionOf(await answer(desk, runId, kind))).toBeNull();
    expect(await desk.work(runId)).toBe('completed');
  });

  it('SRC-8 SUB-10 a tool whose results may not go where the run leads now refuses, releases and is offered no more', async () => {
    const desk = new RunDesk(runRemains());
    const operator = new Operator(desk);
    await desk.know(olga);
    desk.registry.register({
      declaration: {
        name: 'ask_key',
        description: 'Asks for a key, and declares no class.',
        effect: 'read_only',
        parameters: { type: 'object', properties: { key: { type: 'string' } } },
        inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
      },
      implementation: { execute: () => 'thank you' },
    });
    const provider: ProviderConfiguration = {
      kind: 'scripted',
      turns: [0, 1].map((turn) => ({ calls: [{ callId: `c${turn}`, toolName: 'ask_key', arguments: {} }] })),
    };
    await operator.configuration({ provider, trustZone: 'local' });
    const started = await desk.start({ configurationId: 'conf' });
    const runId = 'runId' in started ? started.runId : '';
    expect(await desk.work(runId)).toBe('waiting_for_input');

    const tooSensitive = { code: 'submitter_not_permitted', toolName: 'ask_key', reason: 'data_class_above_ceiling' };
    await operator.configuration({ provider, trustZone: 'private_hosted' });
    expect(rejectionOf(await desk.submit(runId, { key: 'k' }))).toEqual(tooSensitive);
    await operator.configuration({ provider, trustZone: 'local' });
    expect(rejectionOf(await desk.submit(runId, { key: 'k' }))).toBeNull();
    await operator.configuration({ provider, trustZone: 'private_hosted' });
    expect(await desk.work(runId)).toBe('released');
    expect(await desk.last(runId, 'RunReleased')).toEqual({ reason: 'submitter_not_permitted', toolName: 'ask_key' });

    // Only observed, the same tool is asked for and executed; what exceeded the ceiling is recorded.
    await operator.enforcement('observe');
    expect(rejectionOf(await desk.submit(runId, { key: 'k' }))).toBeNull();
    expect(await desk.work(runId)).toBe('waiting_for_input');
    expect((await desk.last(runId, 'ModelResponded'))?.contextObserved).toBe(true);
  });

  it('SRC-6 a denial that was accepted is released as well, once the ceiling stops the run', async () => {
    const { desk, operator, runId } = await waitingRun('approval');
    expect(rejectionOf(await desk.decide(runId, false))).toBeNull();
    await operator.configuration({ ...base('approval'), trustZone: 'external_global' });
    expect(await desk.work(runId)).toBe('released');
    await operator.configuration(base('approval'));
    expect(rejectionOf(await desk.decide(runId, false))).toBeNull();
    expect(await desk.work(runId)).toBe('completed');
    expect(desk.executions).toEqual([]);
  });
});

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
