import { Command } from '@nestjs/cqrs';
import type { Principal } from '../governance/principal.js';
import type { ApprovalRejection } from '../run/decisions/decide-approval.js';
import type { RunCommandResult } from './run-command-result.js';

type DecisionResult = RunCommandResult<{ readonly submission: 'accepted' | 'replayed' }, ApprovalRejection>;

/** A yes to the whole turn of an approval pause. */
export class Approve extends Command<DecisionResult> {
  readonly approved = true;

  constructor(
    readonly principal: Principal,
    readonly runId: string,
    /** Whatever the client sent: the rule judges it (TRN-3). */
    readonly turnDigest: unknown,
    readonly comment: string | null,
    readonly correlationId: string,
  ) {
    super();
  }
}

/** A no to the whole turn of an approval pause: nothing of it executes, and the model is told (APP-2, SUB-7). */
export class Deny extends Command<DecisionResult> {
  readonly approved = false;

  constructor(
    readonly principal: Principal,
    readonly runId: string,
    /** Whatever the client sent: the rule judges it (TRN-3). */
    readonly turnDigest: unknown,
    readonly comment: string | null,
    readonly correlationId: string,
  ) {
    super();
  }
}
