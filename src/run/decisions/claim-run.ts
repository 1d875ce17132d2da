import { accepted, type Decision, nothingToDo } from '../../events/decider.js';
import type {
  BlockingSource,
  ErrorClass,
  FailReason,
  NewRunEvent,
  ReleaseReason,
  RunEventType,
} from '../../events/run-events.js';
import {
  hasStarted,
  isSettled,
  isWaiting,
  type QueuedRun,
  type RunningRun,
  type RunState,
  uncertainWrite,
} from '../run-state.js';

/** Requeues and takeovers that a run may have without progress between them (CLM-5). */
export const MOST_ATTEMPTS = 3;

/** Clocks of workers may be apart by so much, in milliseconds, before a time says nothing to another clock. */
const APART_MS = 60_000;

export interface ClaimFacts {
  readonly nowMs: number;
  /** Fresh for every attempt to claim (CLM-1). */
  readonly claimId: string;
  readonly workerId: string;
  readonly leaseExpiresAt: string;
  readonly configurationExists: boolean;
  /** What was found when the answered pause was opened and its digest computed again; `sound` where there is none. */
  readonly pause:
    | 'sound'
    | Extract<ErrorClass, 'unusable_schema' | 'digest_mismatch' | 'unreadable_content' | 'content_erased'>;
  /** Why whoever answered may not have this turn executed any more; null where they may (SUB-10), or the ceiling (SRC-6). */
  readonly objection: ClaimObjection | null;
}

export type ClaimObjection =
  | { readonly reason: Exclude<ReleaseReason, 'configuration_gone' | 'context_blocked'>; readonly toolName?: string }
  | ({ readonly reason: 'context_blocked' } & BlockingSource);

export type ClaimReply = 'claimed' | 'released' | 'failed' | 'not_claimable';

/**
 * The guarded claim: exactly one of `RunClaimed`, `RunReleased` and `RunFailed`, or nothing. Whether a run may be
 * claimed at all comes first, whether it may still go on second.
 */
export function decideClaimRun(state: RunState, facts: ClaimFacts): Decision<RunEventType, ClaimReply, never> {
  if (!isClaimable(state, facts.nowMs)) return nothingToDo('not_claimable');
  const attempt = state.status === 'running' ? state.attempts + 1 : state.attempts;
  // A write that may have happened outranks every reason to stop here: somebody has to find out (CLM-4).
  if (uncertainWrite(state) === null) {
    const end = reasonToStop(state, attempt, facts);
    if (end !== null)
      return accepted<RunEventType, ClaimReply>([end], end.type === 'RunReleased' ? 'released' : 'failed');
  }
  return accepted<RunEventType, ClaimReply>(
    [
      {
        type: 'RunClaimed',
        data: {
          claimId: facts.claimId,
          workerId: facts.workerId,
          leaseExpiresAt: facts.leaseExpiresAt,
          attempt,
        },
      },
    ],
    'claimed',
  );
}

function isClaimable(state: RunState, nowMs: number): state is QueuedRun | RunningRun {
  if (state.status === 'not_started' || isSettled(state) || isWaiting(state)) return false;
  if (state.status === 'queued') return state.notBefore === null || isOver(state.notBefore, state, nowMs);
  return isOver(state.claim.leaseExpiresAt, state, nowMs);
}

/**
 * A history that is ahead of the clock was written by one that was set back since, and its times would hold up the run
 * for as long as that. They do not count then: a claim too early costs no more than an attempt, because the revision
 * decides who writes (CLM-2), and nobody asks before the whole lease or pause has passed by the worker's own clock.
 */
function isOver(time: string, { updatedAt }: QueuedRun | RunningRun, nowMs: number): boolean {
  return Date.parse(time) <= nowMs || Date.parse(updatedAt) > nowMs + APART_MS;
}

function reasonToStop(state: QueuedRun | RunningRun, attempt: number, facts: ClaimFacts): NewRunEvent | null {
  if (facts.pause !== 'sound') return failed('corrupt_state', facts.pause);
  if (attempt > MOST_ATTEMPTS) return failed('retries_exhausted', 'worker_lost');
  const releasable = state.turn?.answer != null && !hasStarted(state.turn);
  if (!facts.configurationExists) {
    return releasable
      ? { type: 'RunReleased', data: { reason: 'configuration_gone' } }
      : failed('configuration_gone', 'none');
  }
  if (facts.objection === null) return null;
  if (releasable) return { type: 'RunReleased', data: facts.objection };
  // Once a call has started nothing is released (SUB-10); only the ceiling can still stop the run (SRC-6).
  if (facts.objection.reason !== 'context_blocked') return null;
  const { reason, ...blocking } = facts.objection;
  return failed(reason, 'none', blocking);
}

function failed(reason: FailReason, errorClass: ErrorClass, blocking?: BlockingSource): NewRunEvent {
  return { type: 'RunFailed', data: { reason, errorClass, detail: 'at_claim', ...blocking } };
}
