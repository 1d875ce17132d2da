import { hostname } from 'node:os';
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
import { ServerSecret } from '../commands/server-secret.js';
import { WorkerSettings } from '../commands/worker-settings.js';
import type { Environment } from '../config/environment.js';
import { Clock, SystemClock } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { Entropy, SystemEntropy } from '../event-store/entropy.js';
import { EventStore } from '../event-store/event-store.js';
import { KeyStore } from '../event-store/key-store.js';
import { Streams } from '../event-store/streams.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import { GOVERNANCE_PROVIDERS } from '../governance/governance-providers.js';
import { RegisteredTools } from '../governance/registered-tools.js';
import { ToolCatalogue } from '../governance/tool-catalogue.js';
import { InboxAddress } from '../inbox/session/inbox-address.js';
import { Metrics } from '../metrics/metrics.js';
import { ModelClients } from '../models/model-clients.js';
import { AccessTokens, accessTokensOf } from '../openid/access-tokens.js';
import { IssuerSignIn, issuerSignInOf } from '../openid/issuer-sign-in.js';
import { ToolDiscovery } from '../tools/tool-discovery.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { kurrentDbPorts } from './kurrentdb-ports.js';
import { SERVICE_KEYS, type ServiceKeys } from './service-keys.js';
import { sqlitePorts } from './sqlite-ports.js';

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

/** Names the machine and the process; events take no other characters. */
function workerName(): string {
  return `${hostname()
    .replaceAll(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 60)}-${process.pid}`;
}

@Global()
@Module({})
class CoreModule {}

export function coreModule(environment: Environment, hasSealedData: boolean): DynamicModule {
  const providers = [
    ...corePorts(environment, hasSealedData),
    ...GOVERNANCE_PROVIDERS,
    ToolRegistry,
    ToolDiscovery,
    { provide: ToolCatalogue, useClass: RegisteredTools },
  ];
  return { module: CoreModule, imports: [DiscoveryModule], providers, exports: providers };
}
