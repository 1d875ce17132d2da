import type { NewRunEvent } from '../../src/events/run-events.js';
import { type ApprovalFacts, type DecideApproval, decideApproval } from '../../src/run/decisions/decide-approval.js';
import { decideSubmitInput } from '../../src/run/decisions/submit-input.js';
import {
  approvalDecided,
  callCompleted,
  completed,
  DIGEST,
  given,
  MAC,
  modelResponded,
  runClaimed,
  runStarted,
  suspendedForApproval,
  waitingForInput,
} from '../support/run-history.js';

const TURN: NewRunEvent[] = [
  runStarted(),
  runClaimed(),
  modelResponded([{ callId: 'c1', toolName: 'refund', disposition: 'approval' }]),
  suspendedForApproval('c1'),
];

const waiting = given(...TURN);
const approved = given(...TURN, approvalDecided(true));
const settled = given(...TURN, approvalDecided(true), runClaimed(), callCompleted('c1'), completed);

function command(changed: Partial<DecideApproval> = {}): DecideApproval {
  return { principalId: 'sam', turnDigest: DIGEST, approved: true, comment: null, ...changed };
}

function facts(changed: Partial<ApprovalFacts> = {}): ApprovalFacts {
  return {
    reaches: true,
    answerMac: MAC,
    pause: 'sound',
    configurationExists: true,
    isSelfApproval: false,
    approverRefusal: null,
    ceilingRefusal: null,
    ...changed,
  };
}

function toldOf(...args: Parameters<typeof decideApproval>): string {
  const decision = decideApproval(...args);
  return decision.outcome === 'rejected' ? decision.rejection.code : decision.outcome;
}

describe('a decision on a turn', () => {
  it.each([true, false])('APP-2 is one event that covers the whole turn (approved: %s)', (yes) => {
    expect(decideApproval(waiting, command({ approved: yes, comment: 'seen' }), facts())).toEqual({
      outcome: 'accepted',
      events: [
        {
          type: 'ApprovalDecided',
          data: { approved: yes, decidedBy: 'sam', turnDigest: DIGEST, answerMac: MAC },
          content: { comment: 'seen' },
        },
      ],
      reply: { submission: 'accepted', status: 'queued' },
    });
  });

  it('TRN-3 is refused on every digest that is not exactly that of the turn', () => {
    for (const turnDigest of [undefined, null, '', 0, [DIGEST], DIGEST.toUpperCase(), DIGEST.slice(1)]) {
      expect(toldOf(waiting, command({ turnDigest }), facts())).toBe('stale_turn');
    }
  });

  it('TRN-5 checks in its order: of everything that is wrong the first is told', () => {
    const steps: [Partial<DecideApproval>, Partial<ApprovalFacts>][] = [
      [{}, { reaches: true }],
      [{}, { pause: 'sound' }],
      [{}, { configurationExists: true }],
      [{ turnDigest: DIGEST }, {}],
      [{}, { isSelfApproval: false }],
      [{}, { approverRefusal: null }],
      [{}, { ceilingRefusal: null }],
    ];
    let asked = command({ turnDigest: 'wrong' });
    let known = facts({
      reaches: false,
      pause: 'corrupt',
      configurationExists: false,
      isSelfApproval: true,
      approverRefusal: { toolName: 'refund', reason: 'admins_only' },
      ceilingRefusal: { source: 's', dataClass: 'internal', zone: 'local' },
    });
    const told = [toldOf(waiting, asked, known)];
    for (const [better, found] of steps) {
      asked = { ...asked, ...better };
      known = { ...known, ...found };
      told.push(toldOf(waiting, asked, known));
    }
    expect(told).toEqual([
      'run_not_found',
      'corrupt_suspended_state',
      'configuration_gone',
      'stale_turn',
      'self_approval',
      'approver_not_permitted',
      'context_blocked',
      'accepted',
    ]);
  });

  it('SUB-7 SUB-11 lets a no pass whoever could not release the turn, the owner included', () => {
    const refused = facts({
      isSelfApproval: true,
      approverRefusal: { toolName: 'refund', reason: 'admins_only' },
    });
    expect(toldOf(waiting, command({ approved: false }), refused)).toBe('accepted');
  });

  it('TRN-5 never changes afterwards: the same again is a replay, anything else comes too late', () => {
    for (const state of [approved, settled]) {
      expect(toldOf(state, command(), facts({ pause: 'none' }))).toBe('nothing_to_do');
      expect(toldOf(state, command({ principalId: 'olga' }), facts())).toBe('already_answered');
      expect(toldOf(state, command(), facts({ answerMac: 'o'.repeat(43) }))).toBe('already_answered');
    }
  });

  it('INP-2 each path refuses a run that waits for the other', () => {
    const asking = given(...waitingForInput('c1'));
    expect(toldOf(asking, command(), facts())).toBe('not_awaiting_approval');
    const submission = {
      principalId: 'sam',
      turnDigest: DIGEST,
      values: { form: 'answers', answers: { c1: {} } },
    } as const;
    const found = { ...facts(), submitterRefusal: null };
    expect(decideSubmitInput(waiting, submission, found)).toMatchObject({
      rejection: { code: 'not_awaiting_input' },
    });
  });

  it('says of a run that does not wait what it does instead', () => {
    const other = command({ turnDigest: 'b'.repeat(64) });
    expect(toldOf(settled, other, facts())).toBe('run_settled');
    expect(toldOf(approved, other, facts())).toBe('not_awaiting_approval');
    expect(toldOf(given(), other, facts())).toBe('run_not_found');
  });
});
