import type { NewRunEvent } from '../../src/events/run-events.js';
import { ImpossibleHistory } from '../../src/run/evolve.js';
import {
  at,
  callCompleted,
  completed,
  DIGEST,
  given,
  givenA,
  inputSubmitted,
  modelResponded,
  runClaimed,
  runStarted,
  waitingForInput,
} from '../support/run-history.js';

const released: NewRunEvent = {
  type: 'RunReleased',
  data: { reason: 'submitter_not_permitted', toolName: 'ask' },
};

describe('the life of a run', () => {
  it('LIF-1 is queued from its start, from an accepted answer and from a requeue until it is claimed', () => {
    const requeued: NewRunEvent = {
      type: 'RunRequeued',
      data: { reason: 'timeout', attempt: 1, notBefore: at(99) },
    };
    expect(given(runStarted()).status).toBe('queued');
    expect(given(runStarted(), runClaimed()).status).toBe('running');
    expect(givenA('queued', runStarted(), runClaimed(), requeued).notBefore).toBe(at(99));
    const answered = givenA('queued', ...waitingForInput('c1'), inputSubmitted());
    expect(answered).not.toHaveProperty('pause');
  });

  it('LIF-1 goes back to the kind of pause that the pause event names when it is released', () => {
    const state = givenA('waiting_for_input', ...waitingForInput('c1'), inputSubmitted(), released);
    expect(state.pause).toMatchObject({
      turnDigest: DIGEST,
      since: at(3),
      released: { at: at(5), reason: 'submitter_not_permitted', toolName: 'ask' },
    });
  });

  it('TRN-5 forgets a released answer: it is neither a replay nor an answer', () => {
    const state = givenA('waiting_for_input', ...waitingForInput('c1'), inputSubmitted(), released);
    expect(state.answered.size).toBe(0);
    expect(state.turn?.answer).toBeNull();
  });

  it('LIF-3 adds up tokens over the whole run, through every pause', () => {
    const state = givenA(
      'completed',
      ...waitingForInput('c1'),
      inputSubmitted(),
      runClaimed(),
      callCompleted('c1'),
      modelResponded([], { iteration: 1 }),
      completed,
    );
    expect(state.usage).toEqual({ inputTokens: 6, outputTokens: 4 });
  });

  it.each([completed, runClaimed(), inputSubmitted(), runStarted()])(
    'LIF-1 has nothing but erasure after its end',
    (late) => {
      expect(() => given(runStarted(), runClaimed(), completed, late)).toThrow(ImpossibleHistory);
      const erased = given(runStarted(), runClaimed(), completed, {
        type: 'RunContentErased',
        data: { scope: 'working', reason: 'settled' },
      });
      expect(erased).toMatchObject({ status: 'completed', erased: { working: true, outcome: false } });
    },
  );

  it('refuses a history that no decision can have written', () => {
    expect(() => given(runClaimed())).toThrow(ImpossibleHistory);
    expect(() => given(runStarted(), callCompleted('c1'))).toThrow(ImpossibleHistory);
    expect(() => given(runStarted(), runClaimed(), callCompleted('c1'))).toThrow(ImpossibleHistory);
    expect(() => given(runStarted(), modelResponded([]))).toThrow(ImpossibleHistory);
  });

  it('LIF-1 keeps a wait for resolution apart from lease and pause', () => {
    const state = givenA('waiting_for_resolution', runStarted(), runClaimed(), {
      type: 'RunSuspendedForResolution',
      data: { callId: 'c1', toolName: 'refund' },
    });
    expect(state).toMatchObject({ callId: 'c1', toolName: 'refund', since: at(2) });
    expect(state).not.toHaveProperty('claim');
  });
});
