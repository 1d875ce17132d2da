import { type ClaimResult, ClaimRun } from '../../src/commands/claim-run.command.js';
import { ClaimRunHandler } from '../../src/commands/claim-run.handler.js';
import { Approve, Deny } from '../../src/commands/decide-turn.command.js';
import { TurnDecisions } from '../../src/commands/decide-turn.handlers.js';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { RefusedAnswers } from '../../src/commands/refused-answers.js';
import { ServerSecret } from '../../src/commands/server-secret.js';
import { StartRun, type StartRunRequest } from '../../src/commands/start-run.command.js';
import { StartRunHandler } from '../../src/commands/start-run.handler.js';
import { SubmitInput } from '../../src/commands/submit-input.command.js';
import { SubmitInputHandler } from '../../src/commands/submit-input.handler.js';
import { WorkerSettings } from '../../src/commands/worker-settings.js';
import type { Clock } from '../../src/event-store/clock.js';
import type { JsonObject } from '../../src/events/json.js';
import { type RunEvent, type RunEventType, runStream } from '../../src/events/run-events.js';
import { ContextGate } from '../../src/governance/context-gate.js';
import { LiveTools } from '../../src/governance/live-tools.js';
import type { Principal } from '../../src/governance/principal.js';
import { ModelClients } from '../../src/models/model-clients.js';
import { runFold } from '../../src/run/evolve.js';
import type { RunState } from '../../src/run/run-state.js';
import { LiveRecords } from '../../src/tool-loop/live-records.js';
import type { SegmentSignals } from '../../src/tool-loop/segment.js';
import { type SegmentEnd, ToolLoopService } from '../../src/tool-loop/tool-loop.service.js';
import type { ToolRegistry } from '../../src/tools/tool-registry.js';
import { type Execution, simulatedTools } from '../simulation/simulated-tools.js';
import { GovernanceDesk, type Remains } from './governance-desk.js';
import { aPrincipal, ROOT } from './governance-samples.js';
import { MemoryKeys } from './memory-key-store.js';
import { MemoryLog } from './memory-log.js';
import { olga } from './people.js';
import { SilentLog } from './silent-log.js';
import { VirtualClock } from './virtual-clock.js';

const LEASE_MS = 60_000;

/** What outlives the processes of a service whose runs are worked on; its time passes only when a test lets it. */
export function runRemains(): Remains<VirtualClock> {
  return { log: new MemoryLog(), keys: new MemoryKeys(), clock: new VirtualClock() };
}

/** One process of the service, with its real handlers and its real loop, that does what a test tells it step by step. */
export class RunDesk {
  readonly governance: GovernanceDesk<Clock>;
  readonly executions: Execution[] = [];
  readonly registry: ToolRegistry;
  private readonly starts: StartRunHandler;
  private readonly submissions: SubmitInputHandler;
  private readonly decisions: TurnDecisions;
  private readonly claims: ClaimRunHandler;
  private readonly loop: ToolLoopService;

  /**
   * @param models by which configurations are asked; absent: as the service does it
   * @param registry absent: the tools of the simulation, whose executions are then noted here
   */
  constructor(
    readonly remains: Remains<Clock>,
    models: Pick<ModelClients, 'clientFor'> = new ModelClients({ env: {} }),
    registry?: ToolRegistry,
  ) {
    this.governance = new GovernanceDesk(remains);
    const { streams, records, configurations, principals, sources } = this.governance;
    this.registry =
      registry ??
      simulatedTools(
        () => Promise.resolve(),
        (execution) => this.executions.push(execution),
      );
    const context = new ContextGate(sources);
    const tools = new LiveTools(this.registry, records);
    const worker = new WorkerSettings('w1', LEASE_MS);
    const refused = new RefusedAnswers(streams, records);
    const secret = new ServerSecret({ id: 'server', secret: Buffer.alloc(32, 7) });
    this.starts = new StartRunHandler(streams, configurations, this.registry, secret, sources, context);
    this.submissions = new SubmitInputHandler(streams, configurations, principals, tools, context, refused);
    this.decisions = new TurnDecisions(streams, configurations, principals, tools, context, refused);
    this.claims = new ClaimRunHandler(streams, configurations, principals, tools, worker, context);
    const live = new LiveRecords(configurations, principals, tools, models as ModelClients, context);
    this.loop = new ToolLoopService(streams, live, worker, new SilentLog());
  }

  /** Another process on the same log: it remembers nothing of what this one has looked up. */
  restarted(): RunDesk {
    return new RunDesk(this.remains);
  }

  async know(...principals: readonly Principal[]): Promise<void> {
    for (const { id, ...document } of principals) {
      await this.governance.execute(new PutPrincipal(ROOT, id, aPrincipal(document), { kind: 'none' }, 'c'));
    }
  }

  start(request: Partial<StartRunRequest> & Pick<StartRunRequest, 'configurationId'>, owner: Principal = olga) {
    const whole: StartRunRequest = {
      messages: [{ role: 'user', content: 'go' }],
      allowedTools: null,
      maxIterations: null,
      forcedSnippetIds: [],
      forcedSkillIds: [],
      options: {},
      ...request,
    };
    return this.starts.execute(new StartRun(owner, whole, null, 'c'));
  }

  /** A claim and, where it is had, the segment that follows; what the claim came to. */
  async work(runId: string): Promise<string> {
    const claim = await this.claim(runId);
    if (claim.reply !== 'claimed') return claim.reply;
    const never = new AbortController().signal;
    return this.segment(claim.run, { lost: never, stopping: never, abandoning: never });
  }

  claim(runId: string): Promise<ClaimResult> {
    return this.claims.execute(new ClaimRun(runId));
  }

  segment(claimed: Extract<ClaimResult, { reply: 'claimed' }>['run'], signals: SegmentSignals): Promise<SegmentEnd> {
    return this.loop.runSegment(claimed, signals);
  }

  /** @param named the digest that is named; absent: that of the pause */
  async submit(runId: string, data: JsonObject, by: Principal = olga, named?: string) {
    const turnDigest = named ?? (await this.turnDigest(runId));
    return this.submissions.execute(new SubmitInput(by, runId, turnDigest, { form: 'data', data }, 'c'));
  }

  /** @param named the digest that is named; absent: that of the pause */
  async decide(runId: string, approved: boolean, by: Principal = olga, named?: string) {
    const Decision = approved ? Approve : Deny;
    return this.decisions.decide(new Decision(by, runId, named ?? (await this.turnDigest(runId)), null, 'c'));
  }

  async state(runId: string): Promise<RunState> {
    return (await this.load(runId)).state;
  }

  async events(runId: string): Promise<readonly RunEvent[]> {
    return (await this.load(runId)).events;
  }

  /** The data of a run's last event of a type. */
  async last<Type extends RunEvent['type']>(runId: string, type: Type) {
    const found = (await this.events(runId)).findLast((event) => event.type === type);
    return found?.data as Extract<RunEvent, { type: Type }>['data'] | undefined;
  }

  private load(runId: string) {
    return this.governance.streams.load<RunState, RunEventType>(runFold, runStream(runId));
  }

  private async turnDigest(runId: string): Promise<string> {
    const state = await this.state(runId);
    return 'pause' in state ? state.pause.turnDigest : 'none';
  }
}
