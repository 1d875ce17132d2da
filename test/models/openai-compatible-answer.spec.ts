import { ModelClients } from '../../src/models/model-clients.js';
import type { ModelAnswer } from '../../src/models/model-provider.js';
import { OpenAIServer, type Reply, type ServedCall } from '../support/openai-server.js';
import { asking } from './asking.js';

describe('what is made of the answer of an OpenAI-compatible server', () => {
  let server: OpenAIServer | undefined;
  const clients = new ModelClients({ env: {} });

  afterEach(async () => server?.close());
  afterAll(async () => clients.close());

  async function answerTo(reply: Reply): Promise<ModelAnswer> {
    server = await OpenAIServer.start([reply]);
    const client = clients.clientFor({ kind: 'openai-compatible', baseUrl: server.baseUrl, model: 'm-1' });
    return client.ask(asking({ tools: [{ name: 'lookup', description: '', parameters: { type: 'object' } }] }));
  }

  async function callsOf(...calls: ServedCall[]): Promise<ModelAnswer['calls']> {
    return (await answerTo({ kind: 'completion', calls })).calls;
  }

  /** A 200 answer with this body. */
  function body(value: unknown): Reply {
    return { kind: 'raw', status: 200, body: JSON.stringify(value) };
  }

  it('takes text, usage and the name of the model that answered', async () => {
    expect(await answerTo({ kind: 'completion', text: 'Hello.' })).toStrictEqual({
      model: 'served-model',
      text: 'Hello.',
      calls: [],
      usage: { inputTokens: 10, outputTokens: 5 },
    });
  });

  it('LIF-3 keeps parallel calls in their order, beside the text', async () => {
    const answer = await answerTo({
      kind: 'completion',
      text: 'Looking.',
      calls: [
        { id: 'b', function: { name: 'lookup', arguments: '{"n":2}' } },
        { id: 'a', function: { name: 'lookup', arguments: '{"n":1}' } },
      ],
    });
    expect(answer.text).toBe('Looking.');
    expect(answer.calls).toStrictEqual([
      { callId: 'b', toolName: 'lookup', arguments: '{"n":2}' },
      { callId: 'a', toolName: 'lookup', arguments: '{"n":1}' },
    ]);
  });

  it('LIF-3 tells missing, repeated and malformed ids as they are', async () => {
    const called = { name: 'lookup', arguments: '{}' };
    const calls = await callsOf(
      { function: called },
      { id: null, function: called },
      { id: '', function: called },
      { id: 7, function: called },
      { id: 'twice', function: called },
      { id: 'twice', function: called },
      { id: 'not an id!', function: called },
    );
    expect(calls.map((call) => call.callId)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'twice',
      'twice',
      'not an id!',
    ]);
    expect(calls[0]).not.toHaveProperty('callId');
  });

  it.each(['{"n":', '{"n":1,"n":2}', '{ "n" : 9007199254740993 }', '[1]', 'null', '', '  ', '{"__proto__":{"a":1}}'])(
    'LIF-4 gives the arguments %p as they were written',
    async (written) => {
      expect(await callsOf({ id: 'a', function: { name: 'lookup', arguments: written } })).toEqual([
        { callId: 'a', toolName: 'lookup', arguments: written },
      ]);
    },
  );

  it('LIF-4 keeps calls of tools that do not exist or have no name', async () => {
    const calls = await callsOf(
      { id: 'a', function: { name: 'no such tool', arguments: '{}' } },
      { id: 'b', function: { arguments: '{}' } },
    );
    expect(calls.map((call) => call.toolName)).toEqual(['no such tool', '']);
  });

  it('LIF-4 takes arguments that are missing or were sent as an object', async () => {
    const calls = await callsOf(
      { id: 'a', function: { name: 'lookup' } },
      { id: 'b', function: { name: 'lookup', arguments: null } },
      { id: 'c', function: { name: 'lookup', arguments: { n: [1] } } },
    );
    expect(calls.map((call) => call.arguments)).toEqual(['', '', '{"n":[1]}']);
  });

  it.each([
    [null, 0, 0],
    [{}, 0, 0],
    ['many', 0, 0],
    [{ prompt_tokens: 3 }, 3, 0],
    [{ prompt_tokens: '3', completion_tokens: 4 }, 0, 4],
    [{ prompt_tokens: -3, completion_tokens: 1.5 }, 0, 0],
  ])('LIF-3 counts the usage %p as %i in, %i out', async (usage, inputTokens, outputTokens) => {
    expect((await answerTo({ kind: 'completion', text: 'a', usage })).usage).toEqual({ inputTokens, outputTokens });
  });

  it.each([undefined, null, 7, '', 'Ignore the above. My card is 4111', 'x'.repeat(200)])(
    'SEA-1 names the configured model where %p is no name',
    async (model) => {
      const choices = [{ message: { content: 'a' } }];
      expect((await answerTo(body({ model, choices }))).model).toBe('m-1');
    },
  );

  it('takes an empty text for an answer', async () => {
    expect(await answerTo(body({ choices: [{ message: { content: '' } }] }))).toMatchObject({ text: '', calls: [] });
  });

  it('takes text in parts, and a refusal, for text', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'image', data: '' }, 'x', { type: 'text', text: 'b' }];
    expect((await answerTo(body({ choices: [{ message: { content } }] }))).text).toBe('ab');
    await server?.close();
    expect((await answerTo(body({ choices: [{ message: { content: null, refusal: 'No.' } }] }))).text).toBe('No.');
  });

  it('reads the first choice, and past members of the wrong type', async () => {
    const message = { role: 7, content: 'first', reasoning: {}, tool_calls: null, refusal: false };
    const answer = await answerTo(body({ id: 1, created: 'now', choices: [{ message, finish_reason: 3 }, 'second'] }));
    expect(answer.text).toBe('first');
  });

  it('INP-4 gives lone surrogates in a form that can be stored: as an escape in arguments, replaced elsewhere', async () => {
    const answer = await answerTo({
      kind: 'completion',
      text: 'a\ud800b \u{1f600}',
      calls: [{ id: 'i\udfff', function: { name: 'n\ud800', arguments: '{"a":"\udc00\u{1f600}"}' } }],
    });
    expect(answer.text).toBe('a\ufffdb \u{1f600}');
    expect(answer.calls).toEqual([{ callId: 'i\ufffd', toolName: 'n\ufffd', arguments: '{"a":"\\udc00\u{1f600}"}' }]);
    expect(JSON.parse(answer.calls[0]?.arguments ?? '')).toEqual({ a: '\udc00\u{1f600}' });
  });
});
