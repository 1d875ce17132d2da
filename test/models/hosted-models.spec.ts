import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/events/json.js';
import { ModelClients } from '../../src/models/model-clients.js';
import type { ModelRequest } from '../../src/models/model-provider.js';
import { checkProvider, type ProviderConfiguration } from '../../src/models/provider-configuration.js';
import { allThatALogCouldShow, asking, failureOf } from './asking.js';

/*
 * The services that sell models, over real HTTP: what they are sent, with which key, and what is made of what they say.
 */

const KEY = 'sk-live-0123456789';
const MARKER = 'MARKER-4b7d';

interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a request is looked into member by member.
  readonly body: any;
}

const ANSWERS = {
  openai: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'm-1-2030',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'let me look',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'lookup', arguments: '{"id": 7}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
  },
  anthropic: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-1-2030',
    content: [
      { type: 'text', text: 'let me look' },
      { type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { id: 7 } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 4 },
  },
} as const;

type Kind = keyof typeof ANSWERS;
const KINDS: readonly Kind[] = ['openai', 'anthropic'];

/** Where the SDK would look for keys and addresses of its own. */
const SDK_VARIABLES = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_AUTH_TOKEN',
];

let server: Server;
let posted: Posted[];
let reply: { status: number; headers?: Record<string, string>; body: string };
const clients = new ModelClients({ env: { HOLDPOINT_PROVIDER_KEY_TEST: KEY, OPENAI_API_KEY: MARKER } });
const kept = { ...process.env };

beforeAll(async () => {
  for (const name of SDK_VARIABLES) process.env[name] = name.endsWith('URL') ? 'http://127.0.0.1:9' : MARKER;
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    posted.push({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    });
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  for (const name of SDK_VARIABLES) {
    if (kept[name] === undefined) delete process.env[name];
    else process.env[name] = kept[name];
  }
  await clients.close();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  posted = [];
});

function baseUrl(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function provider(kind: Kind, more: object = {}): ProviderConfiguration {
  return { kind, model: 'm-1', apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_TEST', baseUrl: baseUrl(), ...more };
}

function ask(kind: Kind, request: Partial<ModelRequest> = {}, answer: object = ANSWERS[kind]) {
  reply = { status: 200, body: JSON.stringify(answer) };
  return clients.clientFor(provider(kind)).ask(asking(request));
}

describe.each(KINDS)('a model of %s', (kind) => {
  it('is sent the key that the configuration names, and none that the SDK would find for itself', async () => {
    await ask(kind);
    expect(posted).toHaveLength(1);
    const { headers, path } = posted[0] as Posted;
    expect(kind === 'openai' ? headers.authorization : headers['x-api-key']).toBe(
      kind === 'openai' ? `Bearer ${KEY}` : KEY,
    );
    expect(JSON.stringify(posted)).not.toContain(MARKER);
    expect(path).toBe(kind === 'openai' ? '/v1/chat/completions' : '/v1/messages');
  });

  it('answers with text, calls as it made them, tokens and its own name', async () => {
    expect(await ask(kind)).toEqual({
      model: 'm-1-2030',
      text: 'let me look',
      calls: [
        {
          callId: kind === 'openai' ? 'call_1' : 'toolu_1',
          toolName: 'lookup',
          arguments: kind === 'openai' ? '{"id": 7}' : '{"id":7}',
        },
      ],
      usage: { inputTokens: 11, outputTokens: 4 },
    });
  });

  it('LIF-2 has no tools field where no tool is offered', async () => {
    await ask(kind);
    expect(posted[0]?.body).not.toHaveProperty('tools');
    expect(posted[0]?.body).not.toHaveProperty('tool_choice');
  });

  it('offers each tool with its schema as it was declared', async () => {
    const parameters: JsonObject = { type: 'object', properties: { id: { type: 'integer' } } };
    await ask(kind, { tools: [{ name: 'lookup', description: 'Looks up.', parameters }] });
    const [tool] = posted[0]?.body.tools ?? [];
    expect(kind === 'openai' ? tool.function.parameters : tool.input_schema).toEqual(parameters);
    expect(kind === 'openai' ? tool.function.name : tool.name).toBe('lookup');
  });

  it.each([
    [401, 'unauthorized', false],
    [400, 'bad_request', false],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [529, 'server_error', true],
  ])(
    'CLM-5 that answers %i has failed with %s, and nothing of what was said can reach a log',
    async (status, failureClass, retryable) => {
      reply = { status, body: JSON.stringify({ type: 'error', error: { type: 'x', message: MARKER } }) };
      const request = asking({ messages: [{ role: 'user', content: MARKER }] });
      const failure = await failureOf(clients.clientFor(provider(kind, { timeoutMs: 10_000 + status })).ask(request));
      expect(failure).toMatchObject({ failureClass, retryable });
      expect(posted).toHaveLength(1);
      const shown = allThatALogCouldShow(failure);
      expect(shown).not.toContain(MARKER);
      expect(shown).not.toContain(KEY);
    },
  );

  it.each([301, 307])('does not follow a %i', async (status) => {
    reply = { status, headers: { location: `${baseUrl()}/elsewhere` }, body: '{}' };
    const failure = await failureOf(clients.clientFor(provider(kind)).ask(asking()));
    expect(failure).toMatchObject({ failureClass: 'misconfigured', retryable: false });
    expect(posted).toHaveLength(1);
  });

  it('of which an answer makes no sense has failed, and the answer is not repeated', async () => {
    for (const body of [MARKER, JSON.stringify({ [MARKER]: MARKER }), '']) {
      reply = { status: 200, body };
      const failure = await failureOf(clients.clientFor(provider(kind)).ask(asking()));
      expect(failure.failureClass).toBe('malformed_answer');
      expect(allThatALogCouldShow(failure)).not.toContain(MARKER);
    }
  });

  it.each([
    { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_MISSING' },
    { apiKeyEnv: 'OPENAI_API_KEY' },
    { baseUrl: `http://user:${MARKER}@127.0.0.1:9/v1` },
  ])('is asked nothing with %p', async (wrong) => {
    const failure = await failureOf(clients.clientFor(provider(kind, wrong)).ask(asking()));
    expect(failure).toMatchObject({ failureClass: 'misconfigured', retryable: false });
    expect(allThatALogCouldShow(failure)).not.toContain(MARKER);
    expect(posted).toEqual([]);
  });

  it('is checked when it is put: a key name of ours, an address without user info, and no member that nobody knows', () => {
    const whole = { kind, model: 'm-1', apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_MAIN' };
    const pointers = (value: object) => {
      const check = checkProvider(value);
      return check.ok ? [] : check.faults.map(({ pointer }) => pointer);
    };
    expect(pointers(whole)).toEqual([]);
    expect(pointers({ ...whole, baseUrl: 'https://proxy.example/v1', timeoutMs: 1_000 })).toEqual([]);
    expect(pointers({ kind, model: 'm-1' })).toEqual(['/apiKeyEnv']);
    expect(pointers({ ...whole, apiKeyEnv: 'OPENAI_API_KEY' })).toEqual(['/apiKeyEnv']);
    expect(pointers({ ...whole, baseUrl: 'https://user@proxy.example/v1' })).toEqual(['/baseUrl']);
    expect(pointers({ ...whole, apiKey: 'sk' })).toEqual(['/apiKey']);
  });
});

describe('a model of anthropic', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: '', calls: [{ callId: 'c1', toolName: 'lookup', arguments: { id: 7 } }] },
    { role: 'tool', callId: 'c1', toolName: 'lookup', content: 'in Bonn' },
    { role: 'system', content: 'Be kind.' },
  ] as const;

  it('is told every instruction in front, in their order, wherever they stood', async () => {
    await ask('anthropic', { messages });
    const { system, messages: sent } = posted[0]?.body ?? {};
    expect(system.map(({ text }: { text: string }) => text)).toEqual(['Be brief.', 'Be kind.']);
    expect(sent.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('LIF-3 closes a conversation with calls in it without a tool that could be called', async () => {
    await ask('anthropic', { messages });
    expect(posted[0]?.body).toMatchObject({
      tools: [{ name: 'lookup', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });
});
