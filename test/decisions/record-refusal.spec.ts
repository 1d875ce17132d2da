import type { RecordedEventOf } from '../../src/events/event.js';
import type { AnswerRefused } from '../../src/events/refusal-events.js';
import {
  decideRecordRefusal,
  MOST_ALTOGETHER,
  MOST_RECORDED,
  type RecordedRefusals,
  type RefusedAttempt,
  refusalsFold,
} from '../../src/run/decisions/record-refusal.js';
import { DIGEST } from '../support/run-history.js';

function anAttempt(changed: Partial<RefusedAttempt> = {}): RefusedAttempt {
  return {
    attemptedBy: 'otto',
    answer: 'approval',
    refusal: 'approver_not_permitted',
    reason: 'admins_only',
    toolName: 'payout',
    sourceId: null,
    dataClass: null,
    zone: null,
    turnDigest: DIGEST,
    ...changed,
  };
}

function after(state: RecordedRefusals, data: RefusedAttempt): RecordedRefusals {
  return refusalsFold.evolve(state, { type: 'AnswerRefused', data } as RecordedEventOf<AnswerRefused>);
}

function afterMany(count: number): RecordedRefusals {
  let state = refusalsFold.initialState;
  for (let index = 0; index < count; index += 1) state = after(state, anAttempt());
  return state;
}

describe('recording refused attempts', () => {
  it('SUB-9 records each attempt, also a repeated one', () => {
    for (const state of [refusalsFold.initialState, afterMany(1), afterMany(MOST_RECORDED - 1)]) {
      expect(decideRecordRefusal(state, anAttempt())).toEqual({
        outcome: 'accepted',
        events: [{ type: 'AnswerRefused', data: anAttempt() }],
        reply: 'recorded',
      });
    }
  });

  it('SUB-9 only counts what is like a recorded one once there are very many of a run', () => {
    const full = afterMany(MOST_RECORDED);
    expect(decideRecordRefusal(full, anAttempt())).toEqual({ outcome: 'nothing_to_do', reply: 'only_counted' });
  });

  it.each([
    { attemptedBy: 'pete' },
    { answer: 'input' },
    { refusal: 'self_approval' },
    { reason: 'tool_disabled' },
    { toolName: 'refund' },
    { sourceId: 'handbook' },
    { turnDigest: 'b'.repeat(64) },
  ] as const)('SUB-9 lets nobody hide in the noise of somebody else: %j is recorded all the same, once', (changed) => {
    const full = afterMany(MOST_RECORDED);
    const other = anAttempt(changed);
    expect(decideRecordRefusal(full, other).outcome).toBe('accepted');
    expect(decideRecordRefusal(after(full, other), other).outcome).toBe('nothing_to_do');
  });

  it('SUB-9 has an end for the attempts on one run altogether', () => {
    const other = anAttempt({ attemptedBy: 'pete' });
    expect(decideRecordRefusal(afterMany(MOST_ALTOGETHER), other).outcome).toBe('nothing_to_do');
  });
});
