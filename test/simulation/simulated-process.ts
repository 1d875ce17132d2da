import { CancelRunHandler } from '../../src/commands/cancel-run.handler.js';
import { ClaimRun } from '../../src/commands/claim-run.command.js';
import { ClaimRunHandler } from '../../src/commands/claim-run.handler.js';
import { TurnDecisions } from '../../src/commands/decide-turn.handlers.js';
import { RefusedAnswers } from '../../src/commands/refused-answers.js';
import { ResolveCallHandler } from '../../src/commands/resolve-call.handler.js';
import { ServerSecret } from '../../src/commands/server-secret.js';
import { StartRunHandler } from '../../src/commands/start-run.handler.js';
import { SubmitInputHandler } from '../../src/commands/submit-input.handler.js';
import { WorkerSettings } from '../../src/commands/worker-settings.js';
import type { EventCodec } from '../../src/event-store/codec.js';
import { Streams } from '../../src/event-store/streams.js';
import { Configurations } from '../../src/governance/configurations.js';
import { ContextGate } from '../../src/governance/context-gate.js';
import { EnforcementPolicy } from '../../src/governance/enforcement-policy.js';
import { LiveTools } from '../../src/governance/live-tools.js';
import { Principals } from '../../src/governance/principals.js';
import { RecordReader } from '../../src/governance/records.js';
import { Sources } from '../../src/governance/sources.js';
import { ModelClients } from '../../src/models/model-clients.js';
import type { ModelRequest } from '../../src/models/model-provider.js';
import { DueTable } from '../../src/sagas/due-table.js';
import { ResumeRuns } from '../../src/sagas/resume-runs.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { LiveRecords } from '../../src/tool-loop/live-records.js';
import { ToolLoopService } from '../../src/tool-loop/tool-loop.service.js';
import type { ToolDeclaration } from '../../src/tools/tool.js';
import { type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryKeyStore, type MemoryKeys } from '../support/memory-key-store.js';
import type { MemoryLog } from '../support/memory-log.js';
import { SilentLog } from '../support/silent-log.js';
import { type Execution, simulatedTools } from './simulated-tools.js';
import { type Mortal, SeededEntropy, VirtualClock, type World } from './world.js';

const LEASE_MS = 15_000;

/** What of a world outlives its processes. */
export interface Remains {
  readonly log: MemoryLog;
  readonly keys: MemoryKeys;
  readonly codec: EventCodec;
  readonly observe: (execution: Execution, workerId: string) => void;
  /** Failures that no fault of the plan explains. */
  readonly unexpected: (failure: unknown) => void;
  /** Beside those that every simulated process has. */
  readonly tools?: readonly ToolDeclaration[];
  /** Told of every question to a model. */
  readonly asked?: (request: ModelRequest) => void;
}

/** One process of the service, wired as the application wires it, without Nest: workers, commands and their feed. */
export class SimulatedProcess implements Mortal {
  alive = true;
  frozenUntilMs = 0;
  /** Resolves when the process is gone. */
  readonly death: Promise<void>;
  private die: () => void = () => {};
  readonly store: MemoryEventStore;
  readonly streams: Streams;
  readonly startRun: StartRunHandler;
  readonly submitInput: SubmitInputHandler;
  readonly decisions: TurnDecisions;
  readonly resolveCall: ResolveCallHandler;
  readonly cancelRun: CancelRunHandler;
  private readonly resume: ResumeRuns;
  private readonly feed: FeedRunner;
  private readonly due: DueTable;

  constructor(
    world: World,
    readonly workerId: string,
    remains: Remains,
    plan: FaultPlan,
    /** Virtual milliseconds that a tool takes. */
    toolMs: () => number,
  ) {
    this.death = new Promise((resolve) => {
      this.die = resolve;
    });
    const clock = new VirtualClock(world, this);
    const entropy = new SeededEntropy(world.dice);
    const keys = new MemoryKeyStore(remains.keys, { now: () => world.now(), pause: () => plan.pause('read') });
    this.store = new MemoryEventStore(remains.log, plan);
    this.streams = new Streams(this.store, remains.codec, keys, clock, entropy);
    const records = new RecordReader(this.streams);
    const configurations = new Configurations(records, this.streams, new EnforcementPolicy(records));
    const sources = new Sources(records, this.streams);
    const context = new ContextGate(sources);
    const principals = new Principals(records, this.streams);
    const registry = simulatedTools(
      () => world.sleep(toolMs(), this),
      (execution) => remains.observe(execution, workerId),
      remains.tools,
    );
    const tools = new LiveTools(registry, records);
    const models = overheard(
      new ModelClients({ env: {}, wait: (ms, signal) => clock.wait(ms, signal) }),
      remains.asked ?? (() => {}),
    );
    const worker = new WorkerSettings(workerId, LEASE_MS);
    const loop = new ToolLoopService(
      this.streams,
      new LiveRecords(configurations, principals, tools, models, context),
      worker,
      new ReportingLog(remains.unexpected),
    );
    const claims = new ClaimRunHandler(this.streams, configurations, principals, tools, worker, context);
    const secret = new ServerSecret({ id: 'server', secret: Buffer.alloc(32, 7) });
    const refused = new RefusedAnswers(this.streams, records);
    this.startRun = new StartRunHandler(this.streams, configurations, registry, secret, sources, context);
    this.submitInput = new SubmitInputHandler(this.streams, configurations, principals, tools, context, refused);
    this.decisions = new TurnDecisions(this.streams, configurations, principals, tools, context, refused);
    this.resolveCall = new ResolveCallHandler(this.streams);
    this.cancelRun = new CancelRunHandler(this.streams);
    this.due = DueTable.open(':memory:', {
      onDue: () => this.resume.wake(),
      onLost: (runId) => this.resume.lose(runId),
      onClaimed: (runId, revision) => this.resume.noteClaim(runId, revision),
    });
    this.resume = new ResumeRuns(
      this.due,
      (runId) => claims.execute(new ClaimRun(runId)),
      (run, signals) => loop.runSegment(run, signals),
      clock,
      { maxSegments: 2, drainMs: 5_000 },
      {
        claimed: () => {},
        ended: () => {},
        tableFailed: remains.unexpected,
        setAside: (_runId, failure) => remains.unexpected(failure),
      },
    );
    this.feed = new FeedRunner(this.due, { store: this.store, codec: remains.codec, clock, entropy });
  }

  start(): void {
    this.feed.start();
    this.resume.start();
  }

  /** Gone between two instructions: nothing that it waits for ever comes. */
  kill(): void {
    this.alive = false;
    this.store.crash();
    this.die();
  }

  async stop(): Promise<void> {
    await this.resume.stop();
    await this.feed.stop();
    this.kill();
  }
}

/** The same clients, with somebody who listens to what they are asked. */
function overheard(
  models: Pick<ModelClients, 'clientFor'>,
  asked: (request: ModelRequest) => void,
): Pick<ModelClients, 'clientFor'> {
  return {
    clientFor: (provider) => {
      const client = models.clientFor(provider);
      return {
        ask: (request) => {
          asked(request);
          return client.ask(request);
        },
      };
    },
  };
}

class ReportingLog extends SilentLog {
  constructor(private readonly report: (failure: unknown) => void) {
    super();
  }

  override toolFailed(_runId: string, _callId: string, _toolName: string, failure: unknown): void {
    this.report(failure);
  }
  override unexpected(_runId: string, _where: string, failure: unknown): void {
    this.report(failure);
  }
}
