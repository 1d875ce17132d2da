import { turnDigest } from '../../src/run/turn-digest.js';
import { type AnswerFacts, readArguments, recordModelAnswer } from '../../src/run/turn-plan.js';
import { callCompleted, givenA, INPUT_SCHEMA, modelResponded, runClaimed, runStarted } from '../support/run-history.js';

const LOOK = { name: 'look', approvalBound: false, inputSchema: null };
const ASK = { name: 'ask', approvalBound: false, inputSchema: INPUT_SCHEMA };
const REFUND = { name: 'refund', approvalBound: true, inputSchema: null };
const REGISTERED = ['look', 'ask', 'refund', 'hidden'];

const running = givenA('running', runStarted(), runClaimed());

function answer(changed: Partial<AnswerFacts>): AnswerFacts {
  return {
    model: 'm',
    text: 'text',
    calls: [],
    usage: { inputTokens: 3, outputTokens: 2 },
    durationMs: 7,
    contextObserved: false,
    offered: [LOOK, ASK, REFUND],
    isRegistered: (name) => REGISTERED.includes(name),
    closing: null,
    nonce: 'nonce',
    ...changed,
  };
}

function call(toolName: string, args = '{}', callId?: string) {
  return { toolName, arguments: args, ...(callId === undefined ? {} : { callId }) };
}

/** Type and data of each event that an answer becomes. */
function planned(changed: Partial<AnswerFacts>, run = running) {
  return recordModelAnswer(run, answer(changed));
}

function dispositions(...calls: AnswerFacts['calls'][number][]) {
  const [responded] = planned({ calls });
  return responded?.type === 'ModelResponded' ? responded.data.calls.map(({ disposition }) => disposition) : [];
}

describe('a model answer', () => {
  it('completes the run in the same append when it calls nothing', () => {
    const events = planned({ text: 'bye' });
    expect(events.map(({ type }) => type)).toEqual(['ModelResponded', 'RunCompleted']);
    expect(events[1]).toMatchObject({
      data: { reason: 'finished', truncated: false, usage: { inputTokens: 3, outputTokens: 2 } },
      content: { text: 'bye' },
    });
  });

  it('INP-1 pauses in the same append when it calls a tool that needs input, naming call, tool and schema', () => {
    const events = planned({ calls: [call('look', '{}', 'a'), call('ask', '{"x":1}', 'b')] });
    expect(events.map(({ type }) => type)).toEqual(['ModelResponded', 'RunSuspendedForInput']);
    expect(events[1]?.data).toEqual({
      requests: [{ callId: 'b', toolName: 'ask', inputSchema: INPUT_SCHEMA }],
      turnDigest: turnDigest({
        kind: 'input',
        nonce: 'nonce',
        calls: [
          { callId: 'a', toolName: 'look', arguments: {} },
          { callId: 'b', toolName: 'ask', arguments: { x: 1 } },
        ],
        requests: [{ callId: 'b', toolName: 'ask', inputSchema: INPUT_SCHEMA }],
      }),
    });
  });

  it('INP-8 leaves a turn with both kinds to the approval pause', () => {
    const events = planned({ calls: [call('ask'), call('refund')] });
    expect(events.map(({ type }) => type)).toEqual(['ModelResponded']);
    expect(dispositions(call('ask'), call('refund'))).toEqual(['input', 'approval']);
  });

  it('LIF-5 fixes what becomes of each call by what was offered then', () => {
    expect(dispositions(call('look'), call('hidden'), call('nobody'), call('refund'))).toEqual([
      'run',
      'not_offered',
      'not_offered',
      'approval',
    ]);
  });

  it('INP-6 never pauses for arguments that are no object', () => {
    for (const args of ['[1]', '"x"', 'null', '7', '{"a":1,"a":2}', '{"n":9007199254740993}', '{']) {
      expect(dispositions(call('ask', args), call('refund', args))).toEqual(['malformed', 'malformed']);
    }
  });

  it('INP-5 fails a run whose pause nobody could answer', () => {
    const events = planned({ calls: [call('ask')], offered: [{ ...ASK, inputSchema: { type: 'object' } }] });
    expect(events[1]).toEqual({
      type: 'RunFailed',
      data: { reason: 'corrupt_state', errorClass: 'unusable_schema', detail: 'at_pause' },
    });
  });

  it('LIF-3 replaces call ids that are missing, repeated, malformed or used before', () => {
    const run = givenA(
      'running',
      runStarted(),
      runClaimed(),
      modelResponded([{ callId: 'used', toolName: 'look', disposition: 'run' }]),
      callCompleted('used'),
    );
    const [responded] = planned(
      { calls: ['ok', undefined, 'ok', 'used', 'a b', 'x'.repeat(65), 'call_2_2'].map((id) => call('look', '{}', id)) },
      run,
    );
    const ids = responded?.type === 'ModelResponded' ? responded.data.calls.map(({ callId }) => callId) : [];
    expect(ids[0]).toBe('ok');
    expect(new Set([...ids, 'used']).size).toBe(8);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('SEA-1 names only registered tools in the clear', () => {
    const [responded] = planned({ calls: [call('secret thing')] });
    expect(JSON.stringify(responded?.data)).not.toContain('secret thing');
    expect(responded).toMatchObject({ content: { calls: [{ toolName: 'secret thing' }] } });
  });

  it('LIF-3 closes a run at its limit, marked as truncated, and still gives every call exactly one result', () => {
    const events = planned({ closing: 'max_iterations', calls: [call('look', '{}', 'a'), call('nobody', '{}', 'b')] });
    expect(events.map(({ type }) => type)).toEqual([
      'ModelResponded',
      'ToolCallCompleted',
      'ToolCallCompleted',
      'RunCompleted',
    ]);
    expect(events[1]?.data).toMatchObject({ callId: 'a', outcome: 'refused', refusal: 'not_offered' });
    expect(events[3]?.data).toMatchObject({ reason: 'max_iterations', truncated: true });
  });

  it('TRN-1 keeps arguments as text unless they are an object, so that no two texts mean the same', () => {
    expect(readArguments('{"a":[1]}')).toEqual({ a: [1] });
    expect(readArguments('"{}"')).toBe('"{}"');
    expect(readArguments(' ')).toEqual({});
  });
});
