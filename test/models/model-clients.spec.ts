import { getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici';
import { ModelClients } from '../../src/models/model-clients.js';
import type { ProviderConfiguration } from '../../src/models/provider-configuration.js';
import { OpenAIServer } from '../support/openai-server.js';
import { asking, failureOf } from './asking.js';

function served(provider: object = {}): ProviderConfiguration {
  return { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', model: 'm-1', ...provider };
}

describe('the clients of models', () => {
  let clients: ModelClients;
  let server: OpenAIServer | undefined;

  beforeEach(() => {
    clients = new ModelClients({ env: {} });
  });

  afterEach(async () => {
    await clients.close();
    await server?.close();
    server = undefined;
  });

  it('are the same for equal configurations, whatever the order of their members', () => {
    const { kind, baseUrl, model } = {
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'm-1',
    } as const;
    expect(clients.clientFor({ kind, baseUrl, model })).toBe(clients.clientFor({ model, baseUrl, kind }));
  });

  it.each([
    { baseUrl: 'http://127.0.0.1:9/v2' },
    { model: 'm-2' },
    { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_A' },
    { timeoutMs: 1_000 },
  ])('are different where %p is', (difference) => {
    expect(clients.clientFor(served(difference))).not.toBe(clients.clientFor(served()));
  });

  it('are forgotten, oldest first, when there are too many', () => {
    const first = clients.clientFor(served());
    const second = clients.clientFor(served({ model: 'm-2' }));
    for (let n = 0; n < 255; n += 1) clients.clientFor(served({ model: `other-${n}` }));
    expect(clients.clientFor(served({ model: 'm-2' }))).toBe(second);
    expect(clients.clientFor(served())).not.toBe(first);
  });

  it('speak for the script that they were given, and wait as they were told', async () => {
    const waited: number[] = [];
    const timeless = new ModelClients({ env: {}, wait: async (ms) => void waited.push(ms) });
    const one = timeless.clientFor({ kind: 'scripted', turns: [{ text: 'one', delayMs: 60_000 }] });
    const two = timeless.clientFor({ kind: 'scripted', turns: [{ text: 'two' }] });
    expect([(await one.ask(asking())).text, (await two.ask(asking())).text]).toEqual(['one', 'two']);
    expect(waited).toEqual([60_000]);
    await timeless.close();
  });

  it('end their calls when they are closed', async () => {
    server = await OpenAIServer.start([{ kind: 'silence' }]);
    const arrived = server.nextRequest();
    const failure = failureOf(clients.clientFor(served({ baseUrl: server.baseUrl })).ask(asking()));
    await arrived;
    await clients.close();
    expect(await failure).toMatchObject({ failureClass: 'connection' });
  });

  it('use connections again, over clients of the same server too', async () => {
    server = await OpenAIServer.start(() => ({ kind: 'completion', text: 'ok' }));
    for (let n = 0; n < 10; n += 1) {
      await clients.clientFor(served({ baseUrl: server.baseUrl, model: `m-${n % 2}` })).ask(asking());
    }
    // Two, because a connection may still be settling when the next call is made.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('SRC-2 speak to the provider itself where the process is told to use a proxy', async () => {
    server = await OpenAIServer.start([{ kind: 'completion', text: 'direct' }]);
    const usual = getGlobalDispatcher();
    const proxy = new ProxyAgent('http://127.0.0.1:9');
    setGlobalDispatcher(proxy);
    try {
      const { text } = await clients.clientFor(served({ baseUrl: server.baseUrl })).ask(asking());
      expect(text).toBe('direct');
    } finally {
      setGlobalDispatcher(usual);
      await proxy.close();
    }
  });

  it('speak to many at once, each getting its own answer', async () => {
    server = await OpenAIServer.start(({ body }) => ({ kind: 'completion', text: `to ${body.messages[0]?.content}` }));
    const client = clients.clientFor(served({ baseUrl: server.baseUrl }));
    const names = Array.from({ length: 20 }, (_, n) => `run ${n}`);
    const answers = await Promise.all(
      names.map((content) => client.ask(asking({ messages: [{ role: 'user', content }] }))),
    );
    expect(answers.map((answer) => answer.text)).toEqual(names.map((name) => `to ${name}`));
  });
});
