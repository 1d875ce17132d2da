import { decideCancelRun } from '../../src/run/decisions/cancel-run.js';
import {
  decideStartRun,
  MOST_PROMPT_BYTES,
  type StartFacts,
  type StartRun,
} from '../../src/run/decisions/start-run.js';
import {
  completed,
  eventsOf,
  given,
  inputSubmitted,
  MAC,
  runClaimed,
  runStarted,
  waitingForInput,
} from '../support/run-history.js';

const START: StartRun = {
  ownerId: 'olga',
  configurationId: 'demo',
  allowedTools: null,
  maxIterations: null,
  options: {},
  forcedSnippetIds: [],
  forcedSkillIds: [],
};

const FACTS: StartFacts = {
  configurationExists: true,
  unknownTools: [],
  messages: [{ role: 'user', content: 'hello' }],
  promptBytes: 40,
  sourceIds: [],
  skippedSourceIds: [],
  ceilingRefusal: null,
  requestMac: null,
};

describe('a start', () => {
  it('LIF-2 takes the default of five iterations and clamps what is above twenty', () => {
    const limitOf = (maxIterations: number | null) =>
      eventsOf(decideStartRun(given(), { ...START, maxIterations }, FACTS))[0]?.data;
    expect(limitOf(null)).toMatchObject({ maxIterations: 5 });
    expect(limitOf(20)).toMatchObject({ maxIterations: 20 });
    expect(limitOf(21)).toMatchObject({ maxIterations: 20 });
  });

  it('is refused before the run exists when its configuration or a named tool does not', () => {
    expect(decideStartRun(given(), START, { ...FACTS, configurationExists: false })).toEqual({
      outcome: 'rejected',
      rejection: { code: 'configuration_gone' },
    });
    expect(decideStartRun(given(), START, { ...FACTS, unknownTools: [1] })).toEqual({
      outcome: 'rejected',
      rejection: { code: 'unknown_tools', places: [1] },
    });
  });

  it('SRC-6 is refused before the run exists when a source may not go where the run leads', () => {
    const over = { source: 'skill:a', dataClass: 'diagnostics', zone: 'external_eu' };
    expect(decideStartRun(given(), START, { ...FACTS, ceilingRefusal: over })).toEqual({
      outcome: 'rejected',
      rejection: { code: 'context_blocked', ...over },
    });
  });

  it('is refused before the run exists when its prompt would not fit into an event', () => {
    expect(decideStartRun(given(), START, { ...FACTS, promptBytes: MOST_PROMPT_BYTES + 1 })).toEqual({
      outcome: 'rejected',
      rejection: { code: 'prompt_too_large', mostBytes: MOST_PROMPT_BYTES },
    });
  });

  it('under a key that was used returns the same run for the same request, whatever became of it', () => {
    const facts = { ...FACTS, requestMac: MAC, configurationExists: false };
    for (const later of [[], [runClaimed()], [runClaimed(), completed]]) {
      const state = given(runStarted({ requestMac: MAC }), ...later);
      expect(decideStartRun(state, START, facts)).toEqual({
        outcome: 'nothing_to_do',
        reply: { status: state.status },
      });
    }
  });

  it('under a key that was used refuses any other request, and one that cannot be compared any more', () => {
    const state = given(runStarted({ requestMac: MAC }));
    for (const requestMac of ['o'.repeat(43), null]) {
      expect(decideStartRun(state, START, { ...FACTS, requestMac })).toEqual({
        outcome: 'rejected',
        rejection: { code: 'idempotency_key_reused' },
      });
    }
  });
});

describe('a cancellation', () => {
  it.each([
    ['queued', [runStarted()]],
    ['running', [runStarted(), runClaimed()]],
    ['waiting_for_input', waitingForInput('c1')],
    ['queued with an answer', [...waitingForInput('c1'), inputSubmitted()]],
  ])('LIF-6 ends a run that is %s at once', (_status, events) => {
    const decision = decideCancelRun(given(...events), { principalId: 'olga' }, { reaches: true });
    expect(eventsOf(decision)).toEqual([{ type: 'RunCancelled', data: { cancelledBy: 'olga' } }]);
    expect(given(...events, ...eventsOf(decision))).toMatchObject({
      status: 'cancelled',
      settlement: { reason: 'cancelled' },
    });
  });

  it('LIF-1 changes no settled run', () => {
    const state = given(runStarted(), runClaimed(), completed);
    expect(decideCancelRun(state, { principalId: 'olga' }, { reaches: true })).toEqual({
      outcome: 'rejected',
      rejection: { code: 'run_settled', status: 'completed' },
    });
  });

  it('SUB-1 tells whoever may not reach the run that there is none, as for an unknown one', () => {
    const unreachable = decideCancelRun(given(runStarted()), { principalId: 'eve' }, { reaches: false });
    const unknown = decideCancelRun(given(), { principalId: 'eve' }, { reaches: true });
    expect(unreachable).toEqual(unknown);
  });
});
