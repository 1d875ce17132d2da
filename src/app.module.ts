import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  type DynamicModule,
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { GOVERNANCE_COMMAND_HANDLERS } from './commands/governance/governance-command-handlers.js';
import { RUN_COMMAND_HANDLERS } from './commands/run-command-handlers.js';
import { ServerSecret } from './commands/server-secret.js';
import { WorkerSettings } from './commands/worker-settings.js';
import { DATA_FILES, type DataFile, SERVER_FOLLOWERS } from './config/data-files.js';
import { type Environment, EnvironmentInvalid } from './config/environment.js';
import { DemonstrationModule } from './demonstration/demonstration.module.js';
import { Clock, SystemClock } from './event-store/clock.js';
import { EventCodec } from './event-store/codec.js';
import { Entropy, SystemEntropy } from './event-store/entropy.js';
import { StoreUnavailable } from './event-store/errors.js';
import { EventStore } from './event-store/event-store.js';
import { type DataKey, KeyStore } from './event-store/key-store.js';
import type { KurrentDbConnection } from './event-store/kurrentdb/kurrentdb-connection.js';
import type { KurrentDbKeyStore } from './event-store/kurrentdb/kurrentdb-key-store.js';
import { findMasterKeys, type MasterKeySource } from './event-store/master-key-file.js';
import { MasterKeys } from './event-store/master-keys.js';
import type { ServicePurpose } from './event-store/service-purposes.js';
import { SqliteEventStore } from './event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from './event-store/sqlite/sqlite-key-store.js';
import { Streams } from './event-store/streams.js';
import { EVENT_CATALOGUE } from './events/event-catalogue.js';
import { GOVERNANCE_EVENTS } from './events/governance-event-schemas.js';
import { GOVERNANCE_STREAM_PREFIXES } from './events/governance-events.js';
import { RUN_EVENTS } from './events/run-event-schemas.js';
import { RUN_STREAM_PREFIX } from './events/run-events.js';
import { Configurations } from './governance/configurations.js';
import { ContextGate } from './governance/context-gate.js';
import { GOVERNANCE_PROVIDERS } from './governance/governance-providers.js';
import { LiveTools } from './governance/live-tools.js';
import { Principals } from './governance/principals.js';
import { RegisteredTools } from './governance/registered-tools.js';
import { TokenUse } from './governance/token-use.js';
import { ToolCatalogue } from './governance/tool-catalogue.js';
import { ProjectionProgress } from './http/health/projection-progress.js';
import { httpModule } from './http/http.module.js';
import { loggerModule } from './http/logging.js';
import { inboxModule } from './inbox/inbox.module.js';
import { InboxAddress } from './inbox/session/inbox-address.js';
import { signInModule } from './inbox/sign-in/sign-in.module.js';
import { Metrics } from './metrics/metrics.js';
import { ModelClients } from './models/model-clients.js';
import { AccessTokens, accessTokensOf } from './openid/access-tokens.js';
import { IssuerSignIn, issuerSignInOf } from './openid/issuer-sign-in.js';
import { AuditFeed } from './projections/audit/audit-feed.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { RunsFeed } from './projections/runs/runs-feed.js';
import { TokenUseFile } from './projections/tokens/token-use-file.js';
import { RunLog } from './sagas/resume-log.js';
import { KeyDestroyer } from './sagas/retention/key-destroyer.js';
import { Retention, RetentionOptions } from './sagas/retention/retention.js';
import { SweepOrphanKeys } from './sagas/sweep-orphan-keys.js';
import { Worker, WorkerOptions } from './sagas/worker.js';
import { SchemaUnknown } from './sqlite/errors.js';
import { SubscriptionsModule } from './subscriptions/subscriptions.module.js';
import { LiveRecords } from './tool-loop/live-records.js';
import { ToolLoopService } from './tool-loop/tool-loop.service.js';
import { ToolDiscovery } from './tools/tool-discovery.js';
import { ToolRegistry } from './tools/tool-registry.js';

export { DATA_FILES };

/** Where a process keeps what follows the log. */
function followersDir({ dataDir, store }: Environment): string {
  return store.kind === 'sqlite' ? dataDir : join(dataDir, SERVER_FOLLOWERS);
}

const KURRENTDB = Symbol('kurrentdb connection');
const KURRENTDB_KEYS = Symbol('kurrentdb keys');

/** Keys of the whole service, each for one purpose. */
type ServiceKeys = (purpose: ServicePurpose) => DataKey;
const SERVICE_KEYS = Symbol('service keys');

/** Lets go of log and keys when nothing needs them any more: after the last request, the last step and the last batch. */
@Injectable()
class StoreLifetime implements OnApplicationShutdown {
  constructor(
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(KeyStore) private readonly keys: KeyStore,
    private readonly models: ModelClients,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.models.close();
    // The store closes the connection that both may share.
    await this.keys.close();
    await this.store.close();
  }
}

function sqlitePorts(environment: Environment, hasSealedData: boolean): Provider[] {
  const file = (name: DataFile) => join(environment.dataDir, DATA_FILES[name]);
  return [
    {
      provide: MasterKeys,
      useFactory: () => findMasterKeys(masterKeySource(environment, hasSealedData)),
    },
    {
      provide: SqliteKeyStore,
      useFactory: (masterKey: MasterKeys) => {
        assertKeysBesideLog(environment.dataDir);
        return opened(() => SqliteKeyStore.open({ path: file('keys'), masterKey }));
      },
      inject: [MasterKeys],
    },
    { provide: KeyStore, useExisting: SqliteKeyStore },
    {
      provide: SERVICE_KEYS,
      useFactory:
        (keys: SqliteKeyStore): ServiceKeys =>
        (purpose) =>
          keys.serviceKey(purpose),
      inject: [SqliteKeyStore],
    },
    {
      provide: EventStore,
      // Behind the key store: with a wrong master key nothing is opened at all (SEA-4).
      useFactory: (_keys: KeyStore) => opened(() => SqliteEventStore.open({ path: file('log') })),
      inject: [KeyStore],
    },
  ];
}

/** The client is loaded only where it is needed: it is large, and most services are on their own files. */
function kurrentDbPorts(environment: Environment, connectionString: string): Provider[] {
  return [
    {
      provide: MasterKeys,
      // Every node needs the same key, so none ever makes one of its own.
      useFactory: () => findMasterKeys(masterKeySource(environment, true)),
    },
    {
      provide: SERVICE_KEYS,
      useFactory:
        (keys: KurrentDbKeyStore): ServiceKeys =>
        (purpose) =>
          keys.serviceKey(purpose),
      inject: [KURRENTDB_KEYS],
    },
    {
      provide: KURRENTDB,
      useFactory: async () => {
        const { KurrentDbConnection } = await import('./event-store/kurrentdb/kurrentdb-connection.js');
        const { ConnectionStringInvalid } = await import('./event-store/kurrentdb/connection-string.js');
        try {
          return KurrentDbConnection.open(connectionString);
        } catch (failure) {
          // Its message repeats nothing of the string, which holds a password.
          if (failure instanceof ConnectionStringInvalid) {
            throw new EnvironmentInvalid([`HOLDPOINT_STORE: ${failure.message}`]);
          }
          throw failure;
        }
      },
    },
    {
      provide: KURRENTDB_KEYS,
      useFactory: async (connection: KurrentDbConnection, masterKey: MasterKeys) => {
        const { KurrentDbKeyStore } = await import('./event-store/kurrentdb/kurrentdb-key-store.js');
        return KurrentDbKeyStore.open({ connection, masterKey });
      },
      inject: [KURRENTDB, MasterKeys],
    },
    { provide: KeyStore, useExisting: KURRENTDB_KEYS },
    {
      provide: EventStore,
      useFactory: async (connection: KurrentDbConnection, _keys: KeyStore) => {
        const { KurrentDbEventStore } = await import('./event-store/kurrentdb/kurrentdb-event-store.js');
        return new KurrentDbEventStore({ connection });
      },
      inject: [KURRENTDB, KeyStore],
    },
  ];
}

/** Ports and their adapters, the only place where the two meet; and what every other part is built from. */
function corePorts(environment: Environment, hasSealedData: boolean): Provider[] {
  return [
    { provide: Clock, useClass: SystemClock },
    { provide: Entropy, useClass: SystemEntropy },
    ...(environment.store.kind === 'sqlite'
      ? sqlitePorts(environment, hasSealedData)
      : kurrentDbPorts(environment, environment.store.connectionString)),
    { provide: EventCodec, useFactory: () => new EventCodec(EVENT_CATALOGUE) },
    {
      provide: Streams,
      useFactory: (store: EventStore, codec: EventCodec, keys: KeyStore, clock: Clock, entropy: Entropy) =>
        new Streams(store, codec, keys, clock, entropy),
      inject: [EventStore, EventCodec, KeyStore, Clock, Entropy],
    },
    {
      provide: ServerSecret,
      useFactory: (serviceKey: ServiceKeys) => new ServerSecret(serviceKey('run-ids')),
      inject: [SERVICE_KEYS],
    },
    Metrics,
    {
      provide: ModelClients,
      useFactory: (metrics: Metrics) => {
        const models = new ModelClients({ env: process.env });
        metrics.read({ openCircuits: () => models.openCircuits });
        return models;
      },
      inject: [Metrics],
    },
    {
      provide: WorkerSettings,
      useFactory: (entropy: Entropy) =>
        new WorkerSettings(`${workerName()}-${entropy.uuid().slice(0, 8)}`, environment.leaseMs),
      inject: [Entropy],
    },
    {
      provide: AccessTokens,
      useFactory: (clock: Clock) => accessTokensOf(environment.openId, () => clock.now()),
      inject: [Clock],
    },
    {
      provide: IssuerSignIn,
      useFactory: (serviceKey: ServiceKeys, clock: Clock) => {
        const redirectUri = new InboxAddress(environment.baseUrl).url('/sign-in/oidc/callback');
        const sealingKey = serviceKey('sign-in attempts').secret;
        return issuerSignInOf(environment.openId, redirectUri, sealingKey, () => clock.now());
      },
      inject: [SERVICE_KEYS, Clock],
    },
    StoreLifetime,
  ];
}

/** @throws {EnvironmentInvalid} what it opens is damaged, full, locked, not to be written or of a newer version. */
function opened<Store>(open: () => Store): Store {
  try {
    return open();
  } catch (failure) {
    if (!(failure instanceof StoreUnavailable || failure instanceof SchemaUnknown)) throw failure;
    throw new EnvironmentInvalid([
      `HOLDPOINT_DATA_DIR: ${failure.message}. What to do is in docs/operating.md, "When something is broken".`,
    ]);
  }
}

function masterKeySource(environment: Environment, hasSealedData: boolean): MasterKeySource {
  return {
    fromEnvironment: environment.masterKey,
    nextFromEnvironment: environment.nextMasterKey,
    file: join(environment.dataDir, DATA_FILES.masterKey),
    hasSealedData,
  };
}

/**
 * A log whose keys are gone is no place to begin a new file of keys: everything in it would count as erased.
 *
 * @throws {EnvironmentInvalid}
 */
function assertKeysBesideLog(dataDir: string): void {
  const has = (name: DataFile) => existsSync(join(dataDir, DATA_FILES[name]));
  if (!has('log') || has('keys')) return;
  throw new EnvironmentInvalid([
    `HOLDPOINT_DATA_DIR must have the keys beside the log: there is ${DATA_FILES.log} without ${DATA_FILES.keys}. Put the keys back from their backup.`,
  ]);
}

/** Names the machine and the process; events take no other characters. */
function workerName(): string {
  return `${hostname()
    .replaceAll(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 60)}-${process.pid}`;
}

@Global()
@Module({})
class CoreModule {}

function coreModule(environment: Environment, hasSealedData: boolean): DynamicModule {
  const providers = [
    ...corePorts(environment, hasSealedData),
    ...GOVERNANCE_PROVIDERS,
    ToolRegistry,
    ToolDiscovery,
    { provide: ToolCatalogue, useClass: RegisteredTools },
  ];
  return { module: CoreModule, imports: [DiscoveryModule], providers, exports: providers };
}

@Module({})
class CommandsModule {}

function commandsModule(): DynamicModule {
  return {
    module: CommandsModule,
    providers: [...RUN_COMMAND_HANDLERS, ...GOVERNANCE_COMMAND_HANDLERS],
  };
}

@Module({})
class WorkerModule {}

function workerModule(environment: Environment): DynamicModule {
  const { maxSegments, keepWorkingMs, keepOutcomeMs } = environment;
  const dir = followersDir(environment);
  return {
    module: WorkerModule,
    imports: [
      SubscriptionsModule.forRoot({
        file: join(dir, DATA_FILES.subscribers),
        kinds: [
          { prefixes: [RUN_STREAM_PREFIX], events: RUN_EVENTS },
          { prefixes: GOVERNANCE_STREAM_PREFIXES, events: GOVERNANCE_EVENTS },
        ],
      }),
    ],
    providers: [
      {
        provide: WorkerOptions,
        useValue: new WorkerOptions(join(dir, DATA_FILES.due), maxSegments, environment.store.kind !== 'sqlite'),
      },
      RunLog,
      {
        provide: LiveRecords,
        useFactory: (
          configurations: Configurations,
          principals: Principals,
          tools: LiveTools,
          models: ModelClients,
          context: ContextGate,
        ) => new LiveRecords(configurations, principals, tools, models, context),
        inject: [Configurations, Principals, LiveTools, ModelClients, ContextGate],
      },
      {
        provide: ToolLoopService,
        useFactory: (streams: Streams, live: LiveRecords, settings: WorkerSettings, log: RunLog) =>
          new ToolLoopService(streams, live, settings, log),
        inject: [Streams, LiveRecords, WorkerSettings, RunLog],
      },
      Worker,
      {
        provide: RetentionOptions,
        useValue: new RetentionOptions(join(dir, DATA_FILES.erasures), { keepWorkingMs, keepOutcomeMs }),
      },
      Retention,
      KeyDestroyer,
      SweepOrphanKeys,
    ],
  };
}

@Injectable()
class TokenUseLifetime implements OnApplicationShutdown {
  constructor(private readonly use: TokenUse) {}

  onApplicationShutdown(): void {
    if (this.use instanceof TokenUseFile) this.use.close();
  }
}

@Module({})
class ReadingModule {}

/** Read models, and how far they are. */
function readingModule(environment: Environment): DynamicModule {
  const dir = followersDir(environment);
  const projections = ProjectionsModule.forRoot({
    file: join(dir, DATA_FILES.readModels),
    auditFile: join(dir, DATA_FILES.audit),
  });
  return {
    module: ReadingModule,
    imports: [projections],
    providers: [
      {
        provide: ProjectionProgress,
        useFactory: (runs: RunsFeed, audit: AuditFeed, metrics: Metrics): ProjectionProgress => {
          const feedsBehindMs = () => ({ runs: runs.reading().behindMs, audit: audit.reading().behindMs });
          metrics.read({ feedsBehindMs });
          return { behindMs: () => Math.max(...Object.values(feedsBehindMs())) };
        },
        inject: [RunsFeed, AuditFeed, Metrics],
      },
      { provide: TokenUse, useFactory: () => TokenUseFile.open(join(dir, DATA_FILES.tokenUse)) },
      TokenUseLifetime,
    ],
    exports: [ProjectionProgress, TokenUse],
  };
}

@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: to Nest a module is a class.
export class AppModule {
  /**
   * The whole service. Its ports are opened while it is built, so a master key that is missing or wrong ends the start here.
   *
   * @param tools modules of tools, each with providers that carry `@Tool`
   */
  static forRoot(
    environment: Environment,
    hasSealedData: boolean,
    tools: DynamicModule['imports'] = [],
  ): DynamicModule {
    mkdirSync(followersDir(environment), { recursive: true });
    const servesCalls = environment.roles.includes('api');
    return {
      module: AppModule,
      imports: [
        loggerModule(environment.logLevel),
        CqrsModule.forRoot(),
        coreModule(environment, hasSealedData),
        commandsModule(),
        httpModule(environment.limits, [readingModule(environment)], servesCalls),
        ...(servesCalls ? [inboxModule(signInModule(environment.baseUrl))] : []),
        ...(environment.roles.includes('worker') ? [workerModule(environment)] : []),
        ...(environment.demo ? [DemonstrationModule] : []),
        ...tools,
      ],
    };
  }
}
