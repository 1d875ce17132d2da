import { nextStep } from '../../src/run/next-step.js';
import {
  approvalDecided,
  callCompleted,
  callStarted,
  givenA,
  inputSubmitted,
  modelResponded,
  runClaimed,
  runStarted,
  suspendedForApproval,
  waitingForInput,
} from '../support/run-history.js';

const OFFERED = ['look', 'ask', 'refund'];

const look = { callId: 'c1', toolName: 'look', disposition: 'run' } as const;
const refund = { callId: 'c2', toolName: 'refund', disposition: 'approval' } as const;
const ask = { callId: 'c3', toolName: 'ask', disposition: 'input' } as const;

function running(...events: Parameters<typeof givenA>[1][]) {
  return givenA('running', runStarted(), runClaimed(), ...events);
}

describe('the next step of a run', () => {
  it('asks the model first', () => {
    expect(nextStep(running(), OFFERED)).toEqual({ kind: 'ask_model', closing: false });
  });

  it('LIF-2 asks for one plain completion where no tool is offered', () => {
    expect(nextStep(running(), [])).toEqual({ kind: 'ask_model', closing: true, because: 'no_tools' });
  });

  it('LIF-3 runs the calls of a turn in the order given, and each once', () => {
    const second = { ...look, callId: 'c9' };
    const turn = modelResponded([look, second]);
    expect(nextStep(running(turn), OFFERED)).toMatchObject({ kind: 'execute', callId: 'c1', withInput: false });
    expect(nextStep(running(turn, callCompleted('c1')), OFFERED)).toMatchObject({ kind: 'execute', callId: 'c9' });
    expect(nextStep(running(turn, callCompleted('c1'), callCompleted('c9')), OFFERED).kind).toBe('ask_model');
  });

  it('LIF-3 asks for a closing completion once the limit is hit', () => {
    const state = givenA(
      'running',
      runStarted({ maxIterations: 1 }),
      runClaimed(),
      modelResponded([look]),
      callCompleted('c1'),
    );
    expect(nextStep(state, OFFERED)).toEqual({ kind: 'ask_model', closing: true, because: 'max_iterations' });
  });

  it('LIF-2 counts the limit anew after an answered pause', () => {
    const state = givenA(
      'running',
      runStarted({ maxIterations: 1 }),
      runClaimed(),
      modelResponded([ask]),
      ...waitingForInput('c3').slice(3),
      inputSubmitted(),
      runClaimed(),
      callCompleted('c3'),
    );
    expect(nextStep(state, OFFERED)).toEqual({ kind: 'ask_model', closing: false });
  });

  it('LIF-5 never runs a call that was not offered, and says whether there is such a tool', () => {
    const notOffered = { ...look, disposition: 'not_offered' } as const;
    const unknown = { ...notOffered, toolName: null };
    expect(nextStep(running(modelResponded([notOffered])), OFFERED)).toMatchObject({ refusal: 'not_offered' });
    expect(nextStep(running(modelResponded([unknown])), OFFERED)).toMatchObject({ refusal: 'unknown_tool' });
  });

  it('APP-1 holds back the harmless calls of a turn, too, until somebody has decided', () => {
    expect(nextStep(running(modelResponded([look, refund])), OFFERED)).toEqual({
      kind: 'suspend_for_approval',
      calls: [{ callId: 'c2', toolName: 'refund' }],
    });
  });

  it('APP-2 executes all calls of a turn after a yes, and none after a no', () => {
    const turn = [modelResponded([look, refund]), suspendedForApproval('c2')];
    expect(nextStep(running(...turn, approvalDecided(true), runClaimed()), OFFERED)).toMatchObject({
      kind: 'execute',
      callId: 'c1',
    });
    expect(nextStep(running(...turn, approvalDecided(false), runClaimed()), OFFERED)).toMatchObject({
      kind: 'refuse',
      callId: 'c1',
      refusal: 'denied',
    });
  });

  it('INP-8 refuses the input-gated calls of a turn that was paused for approval', () => {
    const state = running(
      modelResponded([ask, refund]),
      suspendedForApproval('c2'),
      approvalDecided(true),
      runClaimed(),
    );
    expect(nextStep(state, OFFERED)).toMatchObject({ kind: 'refuse', callId: 'c3', refusal: 'input_not_provided' });
  });

  it('INP-1 executes an answered call with its input', () => {
    const state = givenA('running', ...waitingForInput('c3'), inputSubmitted(), runClaimed());
    expect(nextStep(state, OFFERED)).toEqual({ kind: 'execute', callId: 'c3', toolName: 'ask', withInput: true });
  });

  it('CLM-4 never executes an unfinished non-idempotent write again, but does execute other calls', () => {
    const state = (effect: 'non_idempotent_write' | 'idempotent_write') =>
      running(
        modelResponded([refund]),
        suspendedForApproval('c2'),
        approvalDecided(true),
        runClaimed(),
        callStarted('c2', effect),
        runClaimed({ claimId: 'claim-2', attempt: 1 }),
      );
    expect(nextStep(state('non_idempotent_write'), OFFERED)).toEqual({
      kind: 'suspend_for_resolution',
      callId: 'c2',
      toolName: 'refund',
    });
    expect(nextStep(state('idempotent_write'), OFFERED)).toMatchObject({ kind: 'execute', callId: 'c2' });
  });
});
