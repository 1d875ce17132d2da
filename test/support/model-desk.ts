import { OpenAIServer, type Received, type Reply } from './openai-server.js';
import type { Service } from './service.js';
import type { StoreUnderTest } from './store-under-test.js';

/** What a model was asked so far, and when each request came, in epoch milliseconds. */
export interface Asked {
  readonly requests: Received[];
  readonly times: number[];
}

/** Erasure comes when it comes: without it a settled run has the same events whenever one looks. */
const ENV = { HOLDPOINT_DEMO: '1', HOLDPOINT_KEEP_CONTENT_DAYS: '1' };

/** The service with the demonstration's tools, and one model server behind it in which each model has a script of its own. */
export class ModelDesk {
  private constructor(
    private readonly store: StoreUnderTest,
    private readonly scripts: Map<string, Asked & { readonly replies: readonly Reply[] }>,
    readonly server: OpenAIServer,
    readonly service: Service,
  ) {}

  static async open(store: StoreUnderTest, env: Readonly<Record<string, string>> = {}): Promise<ModelDesk> {
    const scripts: ModelDesk['scripts'] = new Map();
    const server = await OpenAIServer.start((request) => {
      const script = scripts.get(String(request.body.model));
      if (script === undefined) return { kind: 'raw', status: 500, body: 'no such model' };
      const reply = script.replies[Math.min(script.requests.length, script.replies.length - 1)] as Reply;
      script.requests.push(request);
      script.times.push(Date.now());
      return reply;
    });
    const service = await store.startNode({ ...ENV, ...env });
    return new ModelDesk(store, scripts, server, service);
  }

  async close(): Promise<void> {
    await this.store.remove();
    await this.server.close();
  }

  /**
   * Puts a configuration of the model's name whose model answers as scripted, its last reply for ever.
   *
   * @param provider further members of the provider @param more further members of the configuration
   */
  async model(name: string, replies: readonly Reply[], provider: object = {}, more: object = {}): Promise<Asked> {
    const asked: Asked = { requests: [], times: [] };
    this.scripts.set(name, { replies, ...asked });
    const { baseUrl } = this.server;
    await this.service.call('PUT', `/configurations/${name}`, {
      provider: { kind: 'openai-compatible', baseUrl, model: name, ...provider },
      // Where the probe tools are offered, which declare no class of what they return (SRC-8).
      trustZone: 'local',
      ...more,
    });
    return asked;
  }

  /** Starts a run and has it go on until it waits or is settled; its status. */
  async run(configurationId: string, more: object = { input: 'go' }) {
    return (await this.service.call('POST', '/runs', { configurationId, ...more }, { prefer: 'wait=60' })).body;
  }

  /** The events of a run, of all types or of one. */
  async events(runId: string, type?: string) {
    const { body } = await this.service.call('GET', `/runs/${runId}/events`);
    return body.items.filter((event: { type: string }) => type === undefined || event.type === type);
  }
}
