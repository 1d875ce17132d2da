import fc from 'fast-check';
import type { NewRunEvent, RunEvent } from '../../src/events/run-events.js';
import { evolve, NOT_STARTED } from '../../src/run/evolve.js';
import { hasStarted, type RunState, type TurnCall } from '../../src/run/run-state.js';
import {
  approvalDecided,
  callCompleted,
  callStarted,
  completed,
  inputSubmitted,
  modelResponded,
  recorded,
  runClaimed,
  runStarted,
  suspendedForApproval,
  suspendedForInput,
} from './run-history.js';

/*
 * Histories of runs as they can happen: at each step one of the events is drawn that may follow.
 */

/** What decides a walk: one number for each step. */
export const someSteps = fc.array(fc.noBias(fc.nat(1_000)), { minLength: 1, maxLength: 40 });

export interface WalkOptions {
  readonly ownerId?: string;
  readonly configurationId?: string;
}

/** The events of a walk; one step may record several that belong together. */
export function walk(steps: readonly number[], options: WalkOptions = {}): NewRunEvent[][] {
  const appends: NewRunEvent[][] = [];
  let history: NewRunEvent[] = [];
  for (const step of steps) {
    const state = recorded(history).reduce<RunState>(evolve, NOT_STARTED);
    const choices = nextAppends(state, appends.length, step, options);
    const chosen = choices[step % choices.length];
    if (chosen === undefined) break;
    appends.push(chosen);
    history = [...history, ...chosen];
  }
  return appends;
}

function nextAppends(state: RunState, turn: number, step: number, options: WalkOptions): NewRunEvent[][] {
  switch (state.status) {
    case 'not_started':
      return [[runStarted(options)]];
    case 'queued': {
      const released = state.turn?.answer != null && !hasStarted(state.turn);
      return [[runClaimed()], [runClaimed()], [cancelled], ...(released ? [[release], [release]] : [])];
    }
    case 'running':
      return nextSteps(state, turn, step);
    case 'waiting_for_input':
      return [[inputSubmitted({ turnDigest: state.pause.turnDigest })], [cancelled]];
    case 'waiting_for_approval':
      return [true, false].map((approved) => {
        const decided = approvalDecided(approved);
        return [{ ...decided, data: { ...decided.data, turnDigest: state.pause.turnDigest } } as NewRunEvent];
      });
    case 'waiting_for_resolution':
      return [[resolved(state.callId)], [cancelled]];
    default:
      return state.erased.outcome ? [] : [[erased(state.erased.working ? 'outcome' : 'working')]];
  }
}

function nextSteps(state: Extract<RunState, { status: 'running' }>, turn: number, step: number): NewRunEvent[][] {
  const interruptions = [[extended], [extended], [requeued], [failed], [cancelled]];
  const interruption = interruptions[step % interruptions.length] ?? [];
  const open = state.turn?.calls.find((call) => call.progress !== 'done');
  if (open === undefined || state.turn === null) return [...answers(state.iterations + 1, turn), interruption];
  const bound = state.turn.calls.filter((call) => call.disposition === 'approval');
  if (bound.length > 0 && state.turn.answer === null) {
    return [[withDigest(suspendedForApproval(...bound.map((call) => call.callId)), turn)], interruption];
  }
  return [...callSteps(open), interruption];
}

function callSteps({ callId, progress }: TurnCall): NewRunEvent[][] {
  if (progress === 'pending') return [[callStarted(callId, 'non_idempotent_write')], [callCompleted(callId)]];
  const uncertain: NewRunEvent = { type: 'RunSuspendedForResolution', data: { callId, toolName: 'refund' } };
  return [[callCompleted(callId)], [uncertain]];
}

function answers(iteration: number, turn: number): NewRunEvent[][] {
  const call = (index: number, disposition: 'run' | 'approval' | 'input') => ({
    callId: `c${turn}_${index}`,
    toolName: 'tool',
    disposition,
  });
  const ask = [call(1, 'input'), call(2, 'run'), call(3, 'input')];
  const bound = [call(1, 'run'), call(2, 'approval')];
  return [
    [modelResponded([], { iteration }), completed],
    [modelResponded([call(1, 'run'), call(2, 'run')], { iteration })],
    [modelResponded(bound, { iteration })],
    [modelResponded(bound, { iteration })],
    [modelResponded(ask, { iteration }), withDigest(suspendedForInput(`c${turn}_1`, `c${turn}_3`), turn)],
  ];
}

function withDigest(event: NewRunEvent, turn: number): NewRunEvent {
  return { ...event, data: { ...event.data, turnDigest: turn.toString(16).padStart(64, '0') } } as NewRunEvent;
}

const cancelled: NewRunEvent = { type: 'RunCancelled', data: { cancelledBy: 'olga' } };
const release: NewRunEvent = { type: 'RunReleased', data: { reason: 'submitter_not_permitted', toolName: 'tool' } };
const failed: NewRunEvent = { type: 'RunFailed', data: { reason: 'provider_failed', errorClass: 'timeout' } };
const extended: NewRunEvent = {
  type: 'LeaseExtended',
  data: { claimId: 'claim-1', leaseExpiresAt: '2030-01-01T00:02:00.000Z' },
};
const requeued: NewRunEvent = {
  type: 'RunRequeued',
  data: { reason: 'timeout', attempt: 1, notBefore: '2030-01-01T00:01:00.000Z' },
};

function erased(scope: 'working' | 'outcome'): NewRunEvent {
  return { type: 'RunContentErased', data: { scope, reason: 'settled' } };
}

function resolved(callId: string): NewRunEvent {
  return {
    type: 'CallResolved',
    data: { callId, verdict: 'executed', resolvedBy: 'ada' },
    content: { result: null, note: 'looked' },
  };
}

/** The states that a run goes through, beside the events that led to each. */
export function states(events: readonly RunEvent[]): { readonly event: RunEvent; readonly state: RunState }[] {
  let state: RunState = NOT_STARTED;
  return events.map((event) => {
    state = evolve(state, event);
    return { event, state };
  });
}
