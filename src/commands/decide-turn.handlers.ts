import { Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../event-store/streams.js';
import { runStream } from '../events/run-events.js';
import { reaches } from '../governance/access.js';
import { refusalOf } from '../governance/ceiling.js';
import { Configurations } from '../governance/configurations.js';
import { ContextGate } from '../governance/context-gate.js';
import { LiveTools } from '../governance/live-tools.js';
import { Principals } from '../governance/principals.js';
import { approverRefusal, toolsOfTurn } from '../governance/turn-gate.js';
import { type ApprovalFacts, decideApproval } from '../run/decisions/decide-approval.js';
import { runFold } from '../run/evolve.js';
import type { ApprovalWaitingRun, RunState } from '../run/run-state.js';
import { openPause } from '../run-content/open-pause.js';
import { answerMac } from './answer-mac.js';
import { Approve, Deny } from './decide-turn.command.js';
import { reachable } from './reachable.js';
import { RefusedAnswers } from './refused-answers.js';
import { resultOf } from './result-of.js';

/** What a yes and a no have in common: everything but the gates that only a yes has to pass. */
@Injectable()
export class TurnDecisions {
  constructor(
    private readonly streams: Streams,
    private readonly configurations: Configurations,
    private readonly principals: Principals,
    private readonly tools: LiveTools,
    private readonly context: ContextGate,
    private readonly refused: RefusedAnswers,
  ) {}

  async decide(command: Approve | Deny) {
    const { principal, runId, correlationId } = command;
    const executed = await this.streams.execute(
      runStream(runId),
      runFold,
      { actor: { kind: 'principal', id: principal.id }, correlationId },
      ({ state }) => this.gather(state, command),
      (state, facts: ApprovalFacts) => decideApproval(state, { ...command, principalId: principal.id }, facts),
    );
    const answer = command.approved ? 'approval' : 'denial';
    await this.refused.record({ runId, principalId: principal.id, answer, correlationId }, executed);
    return resultOf(runId, executed);
  }

  private async gather(state: RunState, command: Approve | Deny): Promise<ApprovalFacts> {
    const { principal, turnDigest, approved, comment } = command;
    // Out of reach looks like unknown, down to what is looked up for it (SUB-1).
    if (state.status === 'not_started' || !reaches(principal, 'answer', reachable(state))) return NOTHING_FOUND;
    return {
      reaches: true,
      answerMac: await answerMac(this.streams, state.runId, turnDigest, { approved, comment }),
      ...(state.status === 'waiting_for_approval' ? await this.judge(state, principal.id) : NOT_WAITING),
    };
  }

  /** Looked up again: what was true when the request was authenticated may not be true any more (SUB-6). */
  private async judge(state: ApprovalWaitingRun, approverId: string): Promise<PauseFacts> {
    const turn = { calls: state.turn?.calls ?? [], requests: state.pause.requests };
    const [opened, configuration, approver, tools] = await Promise.all([
      openPause(this.streams, state),
      this.configurations.read(state.configurationId),
      this.principals.find(approverId),
      this.tools.named(toolsOfTurn(turn)),
    ]);
    return {
      pause: opened.pause,
      configurationExists: configuration !== null,
      isSelfApproval: configuration?.requireSecondApprover === true && approverId === state.ownerId,
      approverRefusal: configuration === null ? null : approverRefusal(turn, tools, configuration, approver),
      ceilingRefusal: configuration === null ? null : refusalOf(await this.context.judge(configuration, state)),
    };
  }
}

@CommandHandler(Approve)
export class ApproveHandler implements ICommandHandler<Approve> {
  constructor(private readonly decisions: TurnDecisions) {}

  execute(command: Approve) {
    return this.decisions.decide(command);
  }
}

@CommandHandler(Deny)
export class DenyHandler implements ICommandHandler<Deny> {
  constructor(private readonly decisions: TurnDecisions) {}

  execute(command: Deny) {
    return this.decisions.decide(command);
  }
}

type PauseFacts = Omit<ApprovalFacts, 'reaches' | 'answerMac'>;

const NOT_WAITING: PauseFacts = {
  pause: 'none',
  configurationExists: false,
  isSelfApproval: false,
  approverRefusal: null,
  ceilingRefusal: null,
};

const NOTHING_FOUND: ApprovalFacts = { reaches: false, answerMac: null, ...NOT_WAITING };
