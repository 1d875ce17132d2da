import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../event-store/streams.js';
import { runStream } from '../events/run-events.js';
import { reaches } from '../governance/access.js';
import { refusalOf } from '../governance/ceiling.js';
import { Configurations } from '../governance/configurations.js';
import { ContextGate } from '../governance/context-gate.js';
import { LiveTools } from '../governance/live-tools.js';
import { Principals } from '../governance/principals.js';
import { submitterRefusal, toolsOfTurn } from '../governance/turn-gate.js';
import { answeredTurn, decideSubmitInput, type SubmitFacts, valuesByCall } from '../run/decisions/submit-input.js';
import { runFold } from '../run/evolve.js';
import type { InputWaitingRun, RunState, StartedRun } from '../run/run-state.js';
import { openPause } from '../run-content/open-pause.js';
import { answerMac } from './answer-mac.js';
import { reachable } from './reachable.js';
import { RefusedAnswers } from './refused-answers.js';
import { resultOf } from './result-of.js';
import { SubmitInput } from './submit-input.command.js';

@CommandHandler(SubmitInput)
export class SubmitInputHandler implements ICommandHandler<SubmitInput> {
  constructor(
    private readonly streams: Streams,
    private readonly configurations: Configurations,
    private readonly principals: Principals,
    private readonly tools: LiveTools,
    private readonly context: ContextGate,
    private readonly refused: RefusedAnswers,
  ) {}

  async execute(command: SubmitInput) {
    const { principal, runId, turnDigest, values, correlationId } = command;
    const executed = await this.streams.execute(
      runStream(runId),
      runFold,
      { actor: { kind: 'principal', id: principal.id }, correlationId },
      ({ state }) => this.gather(state, command),
      (state, facts: SubmitFacts) => decideSubmitInput(state, { principalId: principal.id, turnDigest, values }, facts),
    );
    await this.refused.record({ runId, principalId: principal.id, answer: 'input', correlationId }, executed);
    return resultOf(runId, executed);
  }

  private async gather(state: RunState, command: SubmitInput): Promise<SubmitFacts> {
    // Out of reach looks like unknown, down to what is looked up for it (SUB-1).
    if (state.status === 'not_started' || !reaches(command.principal, 'answer', reachable(state))) return NOTHING_FOUND;
    return {
      reaches: true,
      answerMac: await this.answerMac(state, command),
      ...(state.status === 'waiting_for_input' ? await this.judge(state, command.principal.id) : NOT_WAITING),
    };
  }

  /** Looked up again: what was true when the request was authenticated may not be true any more (SUB-6). */
  private async judge(state: InputWaitingRun, submitterId: string): Promise<PauseFacts> {
    const turn = { calls: state.turn?.calls ?? [], requests: state.pause.requests };
    const [opened, configuration, submitter, tools] = await Promise.all([
      openPause(this.streams, state),
      this.configurations.read(state.configurationId),
      this.principals.find(submitterId),
      this.tools.named(toolsOfTurn(turn)),
    ]);
    return {
      pause: opened.pause,
      configurationExists: configuration !== null,
      submitterRefusal: configuration === null ? null : submitterRefusal(turn, tools, configuration, submitter),
      ceilingRefusal: configuration === null ? null : refusalOf(await this.context.judge(configuration, state)),
    };
  }

  private answerMac(state: StartedRun, { turnDigest, values }: SubmitInput): Promise<string | null> {
    const open = state.status === 'waiting_for_input' ? state.pause.requests.map(({ callId }) => callId) : [];
    const callIds = answeredTurn(state, turnDigest)?.callIds ?? open;
    return answerMac(this.streams, state.runId, turnDigest, valuesByCall(callIds, values));
  }
}

type PauseFacts = Omit<SubmitFacts, 'reaches' | 'answerMac'>;

const NOT_WAITING: PauseFacts = {
  pause: 'none',
  configurationExists: false,
  submitterRefusal: null,
  ceilingRefusal: null,
};

const NOTHING_FOUND: SubmitFacts = { reaches: false, answerMac: null, ...NOT_WAITING };
