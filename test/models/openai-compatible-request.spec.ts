import fc from 'fast-check';
import type { JsonObject } from '../../src/events/json.js';
import { ModelClients } from '../../src/models/model-clients.js';
import type { ModelRequest } from '../../src/models/model-provider.js';
import type { OpenAICompatibleProvider } from '../../src/models/provider-configuration.js';
import { OpenAIServer, type Received } from '../support/openai-server.js';
import { asking } from './asking.js';

const KEY = 'sk-live-0123456789';

describe('what an OpenAI-compatible server is asked', () => {
  let server: OpenAIServer;
  let clients: ModelClients;

  beforeEach(async () => {
    server = await OpenAIServer.start(() => ({ kind: 'completion', text: 'ok' }));
    clients = new ModelClients({ env: { HOLDPOINT_PROVIDER_KEY_TEST: ` ${KEY}\n`, OTHER: 'other' } });
  });

  afterEach(async () => {
    await clients.close();
    await server.close();
  });

  async function sent(
    request: Partial<ModelRequest>,
    provider: Partial<OpenAICompatibleProvider> = {},
  ): Promise<Received> {
    const client = clients.clientFor({ kind: 'openai-compatible', baseUrl: server.baseUrl, model: 'm-1', ...provider });
    await client.ask(asking(request));
    const received = server.requests.at(-1);
    if (received === undefined) throw new Error('nothing arrived');
    return received;
  }

  it('LIF-2 has no tools field where no tool is offered', async () => {
    const { body } = await sent({ tools: [] });
    expect(Object.keys(body).sort()).toEqual(['messages', 'model']);
  });

  it('offers each tool with its schema as it was declared', async () => {
    const parameters = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', $defs: { a: true } };
    const { body } = await sent({ tools: [{ name: 'lookup', description: 'Looks up.', parameters }] });
    expect(body.tools).toEqual([
      { type: 'function', function: { name: 'lookup', description: 'Looks up.', parameters } },
    ]);
    expect(body).not.toHaveProperty('tool_choice');
  });

  it('carries the options of the run, and only those that it has', async () => {
    const { body } = await sent({ options: { temperature: 0, topP: 0.5, maxOutputTokens: 64, seed: 7 } });
    expect(body).toMatchObject({ model: 'm-1', temperature: 0, top_p: 0.5, max_tokens: 64, seed: 7 });
  });

  it('maps the transcript message by message, results to their calls by id', async () => {
    const { body } = await sent({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Where is order 7?' },
        {
          role: 'assistant',
          content: '',
          calls: [
            { callId: 'c-1', toolName: 'lookup', arguments: { order: 7 } },
            { callId: 'c-2', toolName: 'lookup', arguments: {} },
          ],
        },
        { role: 'tool', callId: 'c-1', toolName: 'lookup', content: 'on its way' },
        { role: 'tool', callId: 'c-2', toolName: 'lookup', content: '' },
        { role: 'assistant', content: 'On its way.', calls: [] },
        { role: 'user', content: '' },
      ],
    });
    expect(body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Where is order 7?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c-1', type: 'function', function: { name: 'lookup', arguments: '{"order":7}' } },
          { id: 'c-2', type: 'function', function: { name: 'lookup', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c-1', content: 'on its way' },
      { role: 'tool', tool_call_id: 'c-2', content: '' },
      { role: 'assistant', content: 'On its way.' },
      { role: 'user', content: '' },
    ]);
  });

  function afterCall(args: JsonObject | string, toolName = 'lookup'): ModelRequest['messages'] {
    return [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', calls: [{ callId: 'c-1', toolName, arguments: args }] },
      { role: 'tool', callId: 'c-1', toolName, content: 'error' },
    ];
  }

  function callSentBack({ body }: Received) {
    return body.messages[1]?.tool_calls?.[0]?.function;
  }

  it.each(['{"order":', '[1,2]', '"text"', '{"order":1,"order":2}', 'null', '{"__proto__":1}', '\\ud800'])(
    'LIF-4 sends arguments that were no object, %p, back inside one, so that the server takes the transcript',
    async (text) => {
      const call = callSentBack(await sent({ messages: afterCall(text) }));
      expect(JSON.parse(call?.arguments ?? '')).toEqual({ unparsed_arguments: text });
    },
  );

  it('LIF-4 sends blank arguments back as an object without members', async () => {
    expect(callSentBack(await sent({ messages: afterCall(' ') }))?.arguments).toBe('{}');
  });

  it.each([
    ['delete everything!', 'delete_everything_'],
    ['', 'unnamed'],
    ['x'.repeat(300), 'x'.repeat(64)],
  ])('LIF-4 sends %p, which is no name for a function, back as one', async (toolName, name) => {
    expect(callSentBack(await sent({ messages: afterCall({}, toolName) }))?.name).toBe(name);
  });

  it('sends back any object that a call had, names of prototypes and all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue()), async (args) => {
        const call = callSentBack(await sent({ messages: afterCall(args as JsonObject) }));
        expect(call?.arguments).toBe(JSON.stringify(args));
      }),
      { numRuns: 60 },
    );
  });

  it('sends no character that UTF-8 cannot hold', async () => {
    const { body } = await sent({ messages: [{ role: 'user', content: 'a\ud800b' }] });
    expect(body.messages[0]?.content).toBe('a\ufffdb');
  });

  it('sends the key that the configuration names', async () => {
    const { headers } = await sent({}, { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_TEST' });
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('sends no key where the configuration names none', async () => {
    const { headers } = await sent({});
    expect(headers).not.toHaveProperty('authorization');
  });

  it('finds the same address with and without a slash at the end', async () => {
    const { path } = await sent({}, { baseUrl: `${server.baseUrl}/` });
    expect(path).toBe('/v1/chat/completions');
  });
});
