import { CircuitBreakingModel } from './circuit-breaker.js';
import { LateModel } from './late-model.js';
import type { ModelClient } from './model-provider.js';
import type { Environment } from './provider-access.js';
import type { ProviderConfiguration, ProviderKind } from './provider-configuration.js';
import type { ProviderConnections } from './provider-connections.js';
import { ScriptedModel, type Wait, waitInRealTime } from './scripted-model.js';

/** Configurations change while the service runs; clients beyond this number are made again when they are needed. */
const MAX_CLIENTS = 256;

interface ModelClientsOptions {
  /** Where providers' keys are looked up, by names that begin with `HOLDPOINT_PROVIDER_KEY_`. */
  readonly env: Environment;
  /** How a scripted model waits; absent: by the clock on the wall. */
  readonly wait?: Wait;
}

/** What a kind of provider needs to be known by here. */
interface Kind<Provider> {
  readonly create: (provider: Provider) => ModelClient;
  /** Equal for providers that one client can serve; null where a client holds nothing that is worth keeping. */
  readonly identity: (provider: Provider) => string | null;
}

/** Gives each configured provider its client: the same one for equal configurations, over one set of connections. */
export class ModelClients {
  private opened: Promise<ProviderConnections> | undefined;
  private readonly clients = new Map<string, CircuitBreakingModel>();
  private readonly kinds: { readonly [K in ProviderKind]: Kind<Extract<ProviderConfiguration, { kind: K }>> };

  constructor({ env, wait = waitInRealTime }: ModelClientsOptions) {
    this.kinds = {
      scripted: {
        create: (provider) => new ScriptedModel(provider, wait),
        identity: () => null,
      },
      'openai-compatible': {
        create: (provider) =>
          new LateModel(async () => {
            const { openAICompatibleModel } = await import('./openai-compatible-model.js');
            return openAICompatibleModel(provider, await this.connections(), env);
          }),
        identity: identityOf,
      },
      openai: {
        create: (provider) =>
          new LateModel(async () => {
            const { openAIModel } = await import('./openai-model.js');
            return openAIModel(provider, await this.connections(), env);
          }),
        identity: identityOf,
      },
      anthropic: {
        create: (provider) =>
          new LateModel(async () => {
            const { anthropicModel } = await import('./anthropic-model.js');
            return anthropicModel(provider, await this.connections(), env);
          }),
        identity: identityOf,
      },
    };
  }

  /** Never fails: a provider that cannot be used has a client whose calls fail `misconfigured`. */
  clientFor(provider: ProviderConfiguration): ModelClient {
    // The map is total, which TypeScript cannot carry through the union.
    const kind = this.kinds[provider.kind] as Kind<ProviderConfiguration>;
    const identity = kind.identity(provider);
    if (identity === null) return kind.create(provider);
    const key = `${provider.kind} ${identity}`;
    const known = this.clients.get(key);
    if (known !== undefined) return known;
    const client = new CircuitBreakingModel(kind.create(provider));
    this.forgetOldest();
    this.clients.set(key, client);
    return client;
  }

  /** How many providers are left alone at the moment. */
  get openCircuits(): number {
    return [...this.clients.values()].filter((client) => client.isOpen).length;
  }

  /** Ends the connections to every provider. Calls in flight fail; the worker ends its segments first. */
  async close(): Promise<void> {
    await (await this.opened)?.close();
  }

  private connections(): Promise<ProviderConnections> {
    this.opened ??= import('./provider-connections.js').then(({ ProviderConnections }) => new ProviderConnections());
    return this.opened;
  }

  private forgetOldest(): void {
    if (this.clients.size < MAX_CLIENTS) return;
    const [oldest] = this.clients.keys();
    if (oldest !== undefined) this.clients.delete(oldest);
  }
}

/** Everything that a client of a server is made from; the order of members in a configuration means nothing. */
function identityOf({
  baseUrl,
  model,
  apiKeyEnv,
  timeoutMs,
}: Exclude<ProviderConfiguration, { kind: 'scripted' }>): string {
  return JSON.stringify([baseUrl, model, apiKeyEnv, timeoutMs]);
}
