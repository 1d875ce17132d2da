import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { timestamp } from '../event-store/clock.js';
import type { Loaded } from '../event-store/loaded.js';
import { Streams } from '../event-store/streams.js';
import { type RunEventType, runStream } from '../events/run-events.js';
import { refusalOf } from '../governance/ceiling.js';
import { type Configuration, Configurations } from '../governance/configurations.js';
import { ContextGate } from '../governance/context-gate.js';
import { LiveTools } from '../governance/live-tools.js';
import { Principals } from '../governance/principals.js';
import { approverRefusal, submitterRefusal, type TurnRefusal, toolsOfTurn } from '../governance/turn-gate.js';
import { type ClaimFacts, type ClaimObjection, decideClaimRun } from '../run/decisions/claim-run.js';
import { runFold } from '../run/evolve.js';
import {
  type Answer,
  hasStarted,
  isSettled,
  isWaiting,
  type Pause,
  type RunState,
  type StartedRun,
} from '../run/run-state.js';
import { openPause } from '../run-content/open-pause.js';
import { type ClaimResult, ClaimRun } from './claim-run.command.js';
import { WorkerSettings } from './worker-settings.js';

@CommandHandler(ClaimRun)
export class ClaimRunHandler implements ICommandHandler<ClaimRun> {
  constructor(
    private readonly streams: Streams,
    private readonly configurations: Configurations,
    private readonly principals: Principals,
    private readonly tools: LiveTools,
    private readonly worker: WorkerSettings,
    private readonly context: ContextGate,
  ) {}

  async execute({ runId }: ClaimRun): Promise<ClaimResult> {
    const stream = runStream(runId);
    const executed = await this.streams.execute(
      stream,
      runFold,
      (loaded) => ({ actor: { kind: 'worker', id: this.worker.workerId }, correlationId: correlationOf(loaded) }),
      ({ state }) => this.gather(state),
      decideClaimRun,
    );
    if (executed.outcome === 'rejected') throw new Error('a claim is never rejected');
    const { reply, state, revision, events } = executed;
    return reply === 'claimed' ? { reply, run: { stream, state, revision, events } } : { reply };
  }

  private async gather(state: RunState): Promise<ClaimFacts> {
    const nowMs = this.streams.clock.now();
    const configuration = state.status === 'not_started' ? null : await this.configurations.read(state.configurationId);
    return {
      nowMs,
      claimId: this.streams.entropy.uuid(),
      workerId: this.worker.workerId,
      leaseExpiresAt: timestamp(nowMs + this.worker.leaseMs),
      configurationExists: configuration !== null,
      ...(await this.judge(state, configuration)),
    };
  }

  /** Whoever answered is asked about first, and then the ceiling, which holds for every segment (SRC-6). */
  private async judge(
    state: RunState,
    configuration: Configuration | null,
  ): Promise<Pick<ClaimFacts, 'pause' | 'objection'>> {
    const answer = await this.judgeAnswer(state, configuration);
    if (answer.pause !== 'sound' || answer.objection !== null) return answer;
    return { pause: 'sound', objection: await this.ceilingObjection(state, configuration) };
  }

  private async ceilingObjection(state: RunState, configuration: Configuration | null): Promise<ClaimObjection | null> {
    // Nobody can claim those, so that nothing is looked up for them.
    if (state.status === 'not_started' || isSettled(state) || isWaiting(state) || configuration === null) return null;
    const refusal = refusalOf(await this.context.judge(configuration, state));
    if (refusal === null) return null;
    const { source, dataClass, zone } = refusal;
    return { reason: 'context_blocked', sourceId: source, dataClass, zone };
  }

  /** Of an answered turn of which nothing has started, everything is asked again (SUB-10, INP-5). */
  private async judgeAnswer(
    state: RunState,
    configuration: Configuration | null,
  ): Promise<Pick<ClaimFacts, 'pause' | 'objection'>> {
    const sound = { pause: 'sound', objection: null } as const;
    if (state.status === 'not_started' || state.turn?.answer == null || hasStarted(state.turn)) return sound;
    const { turn } = state;
    const opened = await openPause(this.streams, state);
    if (opened.pause === 'corrupt') return { pause: opened.errorClass, objection: null };
    if (configuration === null || turn.pause === null || turn.answer === null) return sound;
    return { pause: 'sound', objection: await this.objection(state, turn.pause, turn.answer, configuration) };
  }

  private async objection(
    run: StartedRun,
    pause: Pause,
    answer: Answer,
    configuration: Configuration,
  ): Promise<ClaimObjection | null> {
    const turn = { calls: run.turn?.calls ?? [], requests: pause.requests };
    const [answerer, tools] = await Promise.all([this.principals.find(answer.by), this.tools.named(toolsOfTurn(turn))]);
    if (answer.kind === 'input') {
      return objectionTo('submitter_not_permitted', submitterRefusal(turn, tools, configuration, answerer));
    }
    // A no executes nothing, so nobody has to be able to run anything for it (SUB-7).
    if (!answer.approved) return null;
    if (configuration.requireSecondApprover && answer.by === run.ownerId) return { reason: 'self_approval' };
    return objectionTo('approver_not_permitted', approverRefusal(turn, tools, configuration, answerer));
  }
}

function objectionTo(
  reason: 'submitter_not_permitted' | 'approver_not_permitted',
  refusal: TurnRefusal | null,
): ClaimObjection | null {
  if (refusal === null) return null;
  return { reason, ...(refusal.toolName === '' ? {} : { toolName: refusal.toolName }) };
}

/** What a worker does for a run belongs to whatever set the run going last. */
function correlationOf({ stream, events }: Loaded<RunState, RunEventType>): string {
  return events[events.length - 1]?.correlationId ?? stream;
}
