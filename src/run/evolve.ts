import type { Fold } from '../events/decider.js';
import { type RunEvent, type RunEventType, runIdOf } from '../events/run-events.js';
import {
  type Answer,
  isSettled,
  type Pause,
  type QueuedRun,
  type Release,
  type RunProgress,
  type RunState,
  type SettledRun,
  type Settlement,
  type StartedRun,
  type Turn,
  type TurnCall,
} from './run-state.js';

/** A history that no decision of ours can have written. Nothing is decided on it. */
export class ImpossibleHistory extends Error {
  override readonly name = 'ImpossibleHistory';
  constructor(event: RunEvent, status: RunState['status']) {
    super(`${event.type} at revision ${event.revision} of ${event.stream} cannot follow on ${status}`);
  }
}

export const NOT_STARTED: RunState = { status: 'not_started' };

/** Folds one event into the state of its run. Clear fields only; sealed content is carried along unread. */
export function evolve(state: RunState, event: RunEvent): RunState {
  if (event.type === 'RunStarted') return started(state, event);
  if (state.status === 'not_started') throw new ImpossibleHistory(event, state.status);
  if (isSettled(state)) return afterSettling(state, event);
  return { ...proceed(state, event), updatedAt: event.at };
}

export const runFold: Fold<RunState, RunEventType> = { initialState: NOT_STARTED, evolve };

function started(state: RunState, event: Extract<RunEvent, { type: 'RunStarted' }>): RunState {
  if (state.status !== 'not_started') throw new ImpossibleHistory(event, state.status);
  const { skippedSourceIds: _skipped, ...data } = event.data;
  return {
    status: 'queued',
    notBefore: null,
    runId: runIdOf(event.stream),
    ...data,
    startedAt: event.at,
    updatedAt: event.at,
    transcript: [event],
    turn: null,
    iterations: 0,
    modelAnswers: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    attempts: 0,
    answered: new Map(),
    callIds: new Set(),
    erased: { working: false, outcome: false },
  };
}

function afterSettling(state: SettledRun, event: RunEvent): SettledRun {
  if (event.type !== 'RunContentErased') throw new ImpossibleHistory(event, state.status);
  return { ...state, erased: { ...state.erased, [event.data.scope]: true } };
}

function proceed(state: StartedRun, event: Exclude<RunEvent, { type: 'RunStarted' }>): StartedRun {
  const run = progressOf(state);
  switch (event.type) {
    case 'RunClaimed': {
      const { attempt, ...claim } = event.data;
      return { ...run, status: 'running', claim, attempts: attempt };
    }
    case 'LeaseExtended':
      if (state.status !== 'running') throw new ImpossibleHistory(event, state.status);
      return { ...state, claim: { ...state.claim, leaseExpiresAt: event.data.leaseExpiresAt } };
    case 'ModelResponded':
      return modelResponded(stillRunning(state, event), event);
    case 'ToolCallStarted': {
      const running = stillRunning(state, event);
      return { ...running, turn: withCall(running, event, { progress: 'started', effect: event.data.effect }) };
    }
    case 'ToolCallCompleted': {
      const running = stillRunning(state, event);
      return {
        ...running,
        turn: withCall(running, event, { progress: 'done', effect: null }),
        transcript: [...running.transcript, event],
        attempts: 0,
      };
    }
    case 'RunSuspendedForInput':
    case 'RunSuspendedForApproval':
      return suspended(run, event);
    case 'RunSuspendedForResolution':
      return { ...run, status: 'waiting_for_resolution', ...event.data, since: event.at };
    case 'CallResolved':
      return {
        ...queued(run),
        turn: withCall(run, event, { progress: 'done', effect: null }),
        transcript: [...run.transcript, event],
        attempts: 0,
      };
    case 'InputSubmitted':
      return answered(run, event, { kind: 'input', by: event.data.submittedBy, submitted: event });
    case 'ApprovalDecided':
      return answered(run, event, {
        kind: 'approval',
        by: event.data.decidedBy,
        approved: event.data.approved,
        decided: event,
      });
    case 'RunReleased':
      return released(run, event);
    case 'RunRequeued':
      return { ...queued(run), notBefore: event.data.notBefore, attempts: event.data.attempt };
    case 'RunCompleted':
      return settled(run, 'completed', {
        reason: event.data.reason,
        truncated: event.data.truncated,
        at: event.at,
        completed: event,
      });
    case 'RunFailed':
      return settled(run, 'failed', { reason: event.data.reason, truncated: false, at: event.at, completed: null });
    case 'RunCancelled':
      return settled(run, 'cancelled', { reason: 'cancelled', truncated: false, at: event.at, completed: null });
    case 'RunContentErased':
      return { ...state, erased: { ...state.erased, [event.data.scope]: true } };
    default:
      return unknownEvent(event, state);
  }
}

/** The members that every started run has, without those of its status. */
function progressOf(state: StartedRun): RunProgress {
  const {
    status: _status,
    notBefore: _notBefore,
    claim: _claim,
    pause: _pause,
    callId: _callId,
    toolName: _toolName,
    since: _since,
    settlement: _settlement,
    ...run
  } = state as StartedRun & Record<string, unknown>;
  return run as RunProgress;
}

function queued(run: RunProgress): QueuedRun {
  return { ...run, status: 'queued', notBefore: null };
}

function settled(run: RunProgress, status: SettledRun['status'], settlement: Settlement): SettledRun {
  return { ...run, status, settlement };
}

function stillRunning(state: StartedRun, event: RunEvent): Extract<StartedRun, { status: 'running' }> {
  if (state.status !== 'running') throw new ImpossibleHistory(event, state.status);
  return state;
}

function modelResponded(
  run: Extract<StartedRun, { status: 'running' }>,
  event: Extract<RunEvent, { type: 'ModelResponded' }>,
): StartedRun {
  const { usage, iteration, calls } = event.data;
  return {
    ...run,
    transcript: [...run.transcript, event],
    turn: {
      responded: event,
      calls: calls.map((call) => ({ ...call, progress: 'pending', effect: null })),
      pause: null,
      answer: null,
    },
    iterations: iteration,
    modelAnswers: run.modelAnswers + 1,
    usage: {
      inputTokens: run.usage.inputTokens + usage.inputTokens,
      outputTokens: run.usage.outputTokens + usage.outputTokens,
    },
    attempts: 0,
    callIds: new Set([...run.callIds, ...calls.map((call) => call.callId)]),
  };
}

function withCall(
  run: RunProgress,
  event: Extract<RunEvent, { type: 'ToolCallStarted' | 'ToolCallCompleted' | 'CallResolved' }>,
  change: Pick<TurnCall, 'progress' | 'effect'>,
): Turn {
  const { turn } = run;
  if (turn === null || !turn.calls.some((call) => call.callId === event.data.callId && call.progress !== 'done')) {
    throw new ImpossibleHistory(event, 'running');
  }
  return {
    ...turn,
    calls: turn.calls.map((call) => (call.callId === event.data.callId ? { ...call, ...change } : call)),
  };
}

function suspended(
  run: RunProgress,
  event: Extract<RunEvent, { type: 'RunSuspendedForInput' | 'RunSuspendedForApproval' }>,
): StartedRun {
  if (run.turn === null) throw new ImpossibleHistory(event, 'running');
  const shared = { turnDigest: event.data.turnDigest, since: event.at, released: null };
  if (event.type === 'RunSuspendedForInput') {
    const pause = { kind: 'input', ...shared, requests: event.data.requests, suspended: event } as const;
    return { ...run, status: 'waiting_for_input', pause, turn: { ...run.turn, pause, answer: null } };
  }
  const pause = { kind: 'approval', ...shared, requests: event.data.requests, suspended: event } as const;
  return { ...run, status: 'waiting_for_approval', pause, turn: { ...run.turn, pause, answer: null } };
}

function answered(
  run: RunProgress,
  event: Extract<RunEvent, { type: 'InputSubmitted' | 'ApprovalDecided' }>,
  answer: Answer,
): StartedRun {
  const pause = run.turn?.pause;
  if (run.turn === null || pause === null || pause === undefined) throw new ImpossibleHistory(event, 'queued');
  const remembered = {
    kind: answer.kind,
    by: answer.by,
    at: event.at,
    mac: event.data.answerMac,
    callIds: pause.requests.map((request) => request.callId),
  };
  return {
    ...queued(run),
    turn: { ...run.turn, pause: { ...pause, released: null }, answer },
    iterations: 0,
    attempts: 0,
    answered: new Map([...run.answered, [event.data.turnDigest, remembered]]),
  };
}

/** Back to the pause that the turn names; the answer is void, as if it had never been given (TRN-5). */
function released(run: RunProgress, event: Extract<RunEvent, { type: 'RunReleased' }>): StartedRun {
  if (run.turn?.pause == null) throw new ImpossibleHistory(event, 'queued');
  const release: Release = { at: event.at, ...event.data };
  const pause: Pause = { ...run.turn.pause, released: release };
  const stillAnswered = new Map(run.answered);
  stillAnswered.delete(pause.turnDigest);
  const back = {
    ...run,
    turn: { ...run.turn, pause, answer: null },
    iterations: run.turn.responded.data.iteration,
    answered: stillAnswered,
  };
  return pause.kind === 'input'
    ? { ...back, status: 'waiting_for_input', pause }
    : { ...back, status: 'waiting_for_approval', pause };
}

function unknownEvent(event: never, state: RunState): never {
  throw new ImpossibleHistory(event, state.status);
}
