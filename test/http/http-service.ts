import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ClaimRun } from '../../src/commands/claim-run.command.js';
import { ClaimRunHandler } from '../../src/commands/claim-run.handler.js';
import { GOVERNANCE_COMMAND_HANDLERS } from '../../src/commands/governance/governance-command-handlers.js';
import { RUN_COMMAND_HANDLERS } from '../../src/commands/run-command-handlers.js';
import { ServerSecret } from '../../src/commands/server-secret.js';
import { WorkerSettings } from '../../src/commands/worker-settings.js';
import { Clock } from '../../src/event-store/clock.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { Entropy, SystemEntropy } from '../../src/event-store/entropy.js';
import { EventStore } from '../../src/event-store/event-store.js';
import { Streams } from '../../src/event-store/streams.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { Bootstrap } from '../../src/governance/bootstrap.js';
import { Configurations } from '../../src/governance/configurations.js';
import { ContextGate } from '../../src/governance/context-gate.js';
import { GOVERNANCE_PROVIDERS } from '../../src/governance/governance-providers.js';
import { LiveTools } from '../../src/governance/live-tools.js';
import { Principals } from '../../src/governance/principals.js';
import { RegisteredTools } from '../../src/governance/registered-tools.js';
import { TokenUse } from '../../src/governance/token-use.js';
import { ToolCatalogue } from '../../src/governance/tool-catalogue.js';
import { createFastifyAdapter } from '../../src/http/fastify-adapter.js';
import { ProjectionProgress } from '../../src/http/health/projection-progress.js';
import { httpModule } from '../../src/http/http.module.js';
import type { LimitSettings } from '../../src/http/limits/limits.js';
import { loggerModule } from '../../src/http/logging.js';
import { prepareHttp } from '../../src/http/prepare-http.js';
import { inboxModule } from '../../src/inbox/inbox.module.js';
import { InboxAddress } from '../../src/inbox/session/inbox-address.js';
import { signInModule } from '../../src/inbox/sign-in/sign-in.module.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { ModelClients } from '../../src/models/model-clients.js';
import { AccessTokens, accessTokensOf } from '../../src/openid/access-tokens.js';
import { IssuerSignIn, issuerSignInOf } from '../../src/openid/issuer-sign-in.js';
import type { IssuerSettings } from '../../src/openid/openid-settings.js';
import { ProjectionsModule } from '../../src/projections/projections.module.js';
import { TokenUseFile } from '../../src/projections/tokens/token-use-file.js';
import { LiveRecords } from '../../src/tool-loop/live-records.js';
import { ToolLoopService } from '../../src/tool-loop/tool-loop.service.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';
import { simulatedTools } from '../simulation/simulated-tools.js';
import { CALM, type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryKeyStore, MemoryKeys } from '../support/memory-key-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { SilentLog } from '../support/silent-log.js';
import { ObservedClock } from './observed-clock.js';

export const ADMIN_TOKEN = 'admin-token-of-the-http-tests';

function idleTools(): ToolRegistry {
  return simulatedTools(
    () => Promise.resolve(),
    () => {},
  );
}

const NO_LIMITS: LimitSettings = {
  failedAuthenticationsPerMinute: 0,
  answersPerMinute: 0,
  startsPerMinute: 0,
  waitingRequests: 0,
};

/** Set by tests that want the reads to be behind. */
export class SettableProgress extends ProjectionProgress {
  ms = 0;

  override behindMs(): number {
    return this.ms;
  }
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at bodies as a client would, member by member.
  readonly body: any;
}

export interface HttpCall {
  readonly body?: unknown;
  /** Null: no token at all. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpServiceOptions {
  readonly plan?: FaultPlan;
  readonly baseUrl?: string;
  readonly openId?: IssuerSettings;
  /** In place of those of the simulation. */
  readonly tools?: ToolRegistry;
  readonly limits?: Partial<LimitSettings>;
  /** Where log lines go; absent: nowhere. */
  readonly log?: (line: string) => void;
}

/** The interface over real HTTP, with the real commands, queries and governance, on a log in memory. */
export class HttpService {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly address: string,
    readonly log: MemoryLog,
    readonly clock: ObservedClock,
    readonly progress: SettableProgress,
    private readonly worker: WorkerParts,
  ) {}

  static async start({ plan = CALM, baseUrl, openId, log, ...options }: HttpServiceOptions = {}): Promise<HttpService> {
    const { limits, tools = idleTools() } = options;
    const memory = new MemoryLog();
    const clock = new ObservedClock();
    const entropy = new SystemEntropy();
    const store = new MemoryEventStore(memory, plan);
    const codec = new EventCodec(EVENT_CATALOGUE);
    const keys = new MemoryKeyStore(new MemoryKeys(), { now: () => clock.now(), pause: () => plan.pause('read') });
    const streams = new Streams(store, codec, keys, clock, entropy);
    const progress = new SettableProgress();

    @Global()
    @Module({
      providers: [
        { provide: Clock, useValue: clock },
        { provide: Entropy, useValue: entropy },
        { provide: EventStore, useValue: store },
        { provide: EventCodec, useValue: codec },
        { provide: Streams, useValue: streams },
        { provide: ToolRegistry, useValue: tools },
        { provide: ToolCatalogue, useClass: RegisteredTools },
        { provide: ProjectionProgress, useValue: progress },
        { provide: TokenUse, useFactory: () => TokenUseFile.open(':memory:') },
        Metrics,
        { provide: ServerSecret, useValue: new ServerSecret({ id: 'test', secret: Buffer.alloc(32, 7) }) },
        { provide: AccessTokens, useValue: accessTokensOf(openId, () => clock.now()) },
        {
          provide: IssuerSignIn,
          useValue: issuerSignInOf(
            openId,
            new InboxAddress(baseUrl).url('/sign-in/oidc/callback'),
            Buffer.alloc(32, 8),
            () => clock.now(),
          ),
        },
        { provide: WorkerSettings, useValue: new WorkerSettings('w1', 60_000) },
        ...GOVERNANCE_PROVIDERS,
        ...GOVERNANCE_COMMAND_HANDLERS,
        ...RUN_COMMAND_HANDLERS,
      ],
      exports: [
        Metrics,
        Clock,
        Entropy,
        EventStore,
        EventCodec,
        Streams,
        ToolCatalogue,
        AccessTokens,
        IssuerSignIn,
        ProjectionProgress,
        TokenUse,
        ...GOVERNANCE_PROVIDERS,
      ],
    })
    class Core {}

    @Module({
      imports: [
        CqrsModule.forRoot(),
        loggerModule(log === undefined ? 'silent' : 'trace', log && { write: log }),
        Core,
        ProjectionsModule.forRoot({ file: ':memory:', auditFile: ':memory:', recordsFile: ':memory:' }),
        httpModule({ ...NO_LIMITS, ...limits }),
        inboxModule(signInModule(baseUrl)),
      ],
    })
    class Application {}

    const app = await NestFactory.create<NestFastifyApplication>(Application, createFastifyAdapter(), {
      logger: false,
      abortOnError: false,
    });
    await prepareHttp(app, baseUrl);
    await app.listen(0, '127.0.0.1');
    await app.get(Bootstrap).run({ token: ADMIN_TOKEN, issuer: null });
    return new HttpService(app, await app.getUrl(), memory, clock, progress, { app, streams });
  }

  get streams(): Streams {
    return this.worker.streams;
  }

  async stop(): Promise<void> {
    await this.app.close();
  }

  /** A call below `/api/v1`, as the administrator unless said otherwise; a string body is sent as it is. */
  async call(
    method: string,
    path: string,
    { body, token = ADMIN_TOKEN, headers = {} }: HttpCall = {},
  ): Promise<HttpAnswer> {
    return this.request(method, `/api/v1${path}`, { body, token, headers });
  }

  async request(
    method: string,
    path: string,
    { body, token = null, headers = {} }: HttpCall = {},
  ): Promise<HttpAnswer> {
    const response = await fetch(this.address + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === 'string'
                ? body
                : body instanceof Uint8Array
                  ? new Uint8Array(body)
                  : JSON.stringify(body),
          }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  }

  /** Puts a principal and issues it a token. */
  async principal(id: string, document: object): Promise<string> {
    await this.call('PUT', `/principals/${id}`, { body: { enabled: true, ...document } });
    return (await this.call('POST', `/principals/${id}/tokens`)).body.token;
  }

  /** One segment of a run, as a worker executes it. */
  async work(runId: string): Promise<void> {
    const { app, streams } = this.worker;
    const claim = await app.get(ClaimRunHandler, { strict: false }).execute(new ClaimRun(runId));
    if (claim.reply !== 'claimed') throw new Error(`the run was ${claim.reply}`);
    const never = new AbortController().signal;
    const models = new ModelClients({ env: {}, wait: () => Promise.resolve() });
    const live = new LiveRecords(
      app.get(Configurations),
      app.get(Principals),
      app.get(LiveTools),
      models,
      app.get(ContextGate),
    );
    const loop = new ToolLoopService(streams, live, app.get(WorkerSettings, { strict: false }), new SilentLog());
    await loop.runSegment(claim.run, { lost: never, stopping: never, abandoning: never });
  }
}

interface WorkerParts {
  readonly app: NestFastifyApplication;
  readonly streams: Streams;
}
