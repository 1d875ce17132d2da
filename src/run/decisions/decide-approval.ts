import { accepted, type Decision, nothingToDo, rejected } from '../../events/decider.js';
import type { RunEventType } from '../../events/run-events.js';
import { type AnsweredTurn, isSettled, type Pause, type RunState, type RunStatus } from '../run-state.js';
import { sameDigest } from '../turn-digest.js';
import { answeredTurn } from './submit-input.js';

/** A yes or no to a whole turn, on the digest that was seen. */
export interface DecideApproval {
  readonly principalId: string;
  /** Whatever the client sent: the rule judges it (TRN-3). */
  readonly turnDigest: unknown;
  readonly approved: boolean;
  readonly comment: string | null;
}

export interface ApprovalFacts {
  readonly reaches: boolean;
  /** Keyed digest of the decision for the turn it names; null where the key is gone. */
  readonly answerMac: string | null;
  /** Whether the pause opens and its digest comes out the same when computed again; `none` where the run does not wait. */
  readonly pause: 'none' | 'sound' | 'corrupt';
  readonly configurationExists: boolean;
  /** The configuration wants somebody else than the owner to approve, and this is the owner (SUB-11). */
  readonly isSelfApproval: boolean;
  /** The first write that the approver could not run themselves (SUB-3); asked for a yes alone (SUB-7). */
  readonly approverRefusal: { readonly toolName: string; readonly reason: string } | null;
  readonly ceilingRefusal: { readonly source: string; readonly dataClass: string; readonly zone: string } | null;
}

export type ApprovalRejection =
  | { readonly code: 'run_not_found' }
  | { readonly code: 'already_answered'; readonly answeredAt: string }
  | { readonly code: 'run_settled'; readonly status: RunStatus }
  | { readonly code: 'not_awaiting_approval'; readonly status: RunStatus }
  | { readonly code: 'corrupt_suspended_state' }
  | { readonly code: 'configuration_gone' }
  | { readonly code: 'stale_turn'; readonly pause: Pause }
  | { readonly code: 'self_approval' }
  | { readonly code: 'approver_not_permitted'; readonly toolName: string; readonly reason: string }
  | { readonly code: 'context_blocked'; readonly source: string; readonly dataClass: string; readonly zone: string };

export interface ApprovalReply {
  readonly submission: 'accepted' | 'replayed';
  readonly status: RunStatus;
}

type ApprovalDecision = Decision<RunEventType, ApprovalReply, ApprovalRejection>;

/**
 * The checks of TRN-5, in its order. A no passes everything but the gates on who may release what: it executes nothing
 * (SUB-7). The append of the decision is its durable record, so nothing executes before that (SUB-12).
 */
export function decideApproval(state: RunState, command: DecideApproval, facts: ApprovalFacts): ApprovalDecision {
  if (state.status === 'not_started' || !facts.reaches) return rejected({ code: 'run_not_found' });
  const earlier = answeredTurn(state, command.turnDigest);
  if (earlier !== null) return secondDecision(state.status, earlier, command, facts);
  if (isSettled(state)) return rejected({ code: 'run_settled', status: state.status });
  if (state.status !== 'waiting_for_approval') return rejected({ code: 'not_awaiting_approval', status: state.status });
  if (facts.pause !== 'sound') return rejected({ code: 'corrupt_suspended_state' });
  if (!facts.configurationExists) return rejected({ code: 'configuration_gone' });
  if (!sameDigest(command.turnDigest, state.pause.turnDigest)) {
    return rejected({ code: 'stale_turn', pause: state.pause });
  }
  if (command.approved && facts.isSelfApproval) return rejected({ code: 'self_approval' });
  if (command.approved && facts.approverRefusal !== null) {
    return rejected({ code: 'approver_not_permitted', ...facts.approverRefusal });
  }
  if (facts.ceilingRefusal !== null) return rejected({ code: 'context_blocked', ...facts.ceilingRefusal });
  // Without its key nobody could tell a repeat from another decision; a digest that is no text is stale before this.
  if (facts.answerMac === null) return rejected({ code: 'corrupt_suspended_state' });
  return accepted<RunEventType, ApprovalReply>(
    [
      {
        type: 'ApprovalDecided',
        data: {
          approved: command.approved,
          decidedBy: command.principalId,
          turnDigest: state.pause.turnDigest,
          answerMac: facts.answerMac,
        },
        content: { comment: command.comment },
      },
    ],
    { submission: 'accepted', status: 'queued' },
  );
}

/** A decision never changes afterwards; its identical repeat by the same principal is told so. */
function secondDecision(
  status: RunStatus,
  earlier: AnsweredTurn,
  command: DecideApproval,
  facts: ApprovalFacts,
): ApprovalDecision {
  const identical =
    earlier.kind === 'approval' &&
    earlier.by === command.principalId &&
    facts.answerMac !== null &&
    facts.answerMac === earlier.mac;
  return identical
    ? nothingToDo({ submission: 'replayed', status })
    : rejected({ code: 'already_answered', answeredAt: earlier.at });
}
