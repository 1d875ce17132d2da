import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { ModelClients } from '../../src/models/model-clients.js';
import type { ModelClient } from '../../src/models/model-provider.js';
import type { OpenAICompatibleProvider } from '../../src/models/provider-configuration.js';
import { OpenAIServer, type Reply } from '../support/openai-server.js';
import { allThatALogCouldShow, asking, failureOf } from './asking.js';

const MARKER = 'MARKER-5e1c';
const MODEL = 'm-1';

describe('CLM-5 a call to an OpenAI-compatible server that gives no answer', () => {
  let server: OpenAIServer;
  const clients = new ModelClients({
    env: { PATH: 'p', HOLDPOINT_PROVIDER_KEY_BLANK: ' ', HOLDPOINT_PROVIDER_KEY_BROKEN: `${MARKER}\nX-Other: 1` },
  });

  afterEach(async () => server?.close());
  afterAll(async () => clients.close());

  function clientAt(baseUrl: string, provider: Partial<OpenAICompatibleProvider> = {}): ModelClient {
    return clients.clientFor({ kind: 'openai-compatible', baseUrl, model: MODEL, ...provider });
  }

  async function failureTo(...replies: Reply[]) {
    server = await OpenAIServer.start(replies);
    return failureOf(clientAt(server.baseUrl).ask(asking({ messages: [{ role: 'user', content: MARKER }] })));
  }

  function status(status: number, headers: Record<string, string> = {}): Reply {
    return { kind: 'raw', status, headers, body: '{"error":{"message":"no"}}' };
  }

  it.each([
    [400, 'bad_request', false],
    [401, 'unauthorized', false],
    [403, 'unauthorized', false],
    [404, 'not_found', false],
    [408, 'timeout', true],
    [409, 'server_error', true],
    [422, 'bad_request', false],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [503, 'server_error', true],
  ])('is classified by its status: %i is %s (retryable: %p), asked once', async (code, failureClass, retryable) => {
    expect(await failureTo(status(code))).toMatchObject({ failureClass, retryable, retryAfterMs: undefined });
    expect(server.requests).toHaveLength(1);
  });

  it('tells how long to wait, by seconds or by date, at most ten minutes', async () => {
    expect(await failureTo(status(429, { 'retry-after': '12' }))).toMatchObject({ retryAfterMs: 12_000 });
    await server.close();
    expect(await failureTo(status(503, { 'retry-after': '86400' }))).toMatchObject({ retryAfterMs: 600_000 });
    await server.close();
    const { retryAfterMs } = await failureTo(
      status(429, { 'retry-after': new Date(Date.now() + 120_000).toUTCString() }),
    );
    expect(retryAfterMs).toBeGreaterThan(60_000);
    expect(retryAfterMs).toBeLessThanOrEqual(120_000);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i, wherever it points', async (code) => {
    const elsewhere = await OpenAIServer.start([{ kind: 'completion', text: 'caught' }]);
    const failure = await failureTo(status(code, { location: `${elsewhere.baseUrl}/chat/completions` }));
    expect(failure).toMatchObject({ failureClass: 'misconfigured', retryable: false });
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.close();
  });

  const malformed: [string, Reply][] = [
    ['no body', { kind: 'raw', status: 200 }],
    ['a page', { kind: 'raw', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['a number', { kind: 'raw', status: 200, body: '7' }],
    ['no choices', { kind: 'raw', status: 200, body: '{}' }],
    ['an empty list of choices', { kind: 'raw', status: 200, body: '{"choices":[]}' }],
    ['a choice without a message', { kind: 'raw', status: 200, body: '{"choices":[{}]}' }],
    ['a message without anything', { kind: 'completion', text: null }],
    ['calls that are no list', { kind: 'raw', status: 200, body: '{"choices":[{"message":{"tool_calls":{}}}]}' }],
    ['an error without a status', { kind: 'raw', status: 200, body: '{"error":{"message":"no","code":"odd"}}' }],
    ['nothing but blanks, for ever', { kind: 'endless' }],
    ['what does not decompress', { kind: 'raw', status: 200, headers: { 'content-encoding': 'gzip' }, body: 'plain' }],
    [
      'more than it may, compressed to little',
      {
        kind: 'raw',
        status: 200,
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(5 * 1024 * 1024) } }] })),
      },
    ],
  ];

  it.each(malformed)('is malformed where the answer is %s', async (_what, reply) => {
    expect(await failureTo(reply)).toMatchObject({ failureClass: 'malformed_answer', retryable: false });
  });

  it('is classified by an error that was sent with status 200', async () => {
    const reply: Reply = { kind: 'raw', status: 200, body: '{"error":{"message":"slow down","code":429}}' };
    expect(await failureTo(reply)).toMatchObject({ failureClass: 'rate_limited', retryable: true });
  });

  it.each(['hang-up', 'drop-mid-body'] as const)('is a broken connection after a %s', async (kind) => {
    expect(await failureTo({ kind })).toMatchObject({ failureClass: 'connection', retryable: true });
  });

  it('is a broken connection where nobody listens', async () => {
    const once = await OpenAIServer.start([]);
    const { baseUrl } = once;
    await once.close();
    expect(await failureOf(clientAt(baseUrl).ask(asking()))).toMatchObject({ failureClass: 'connection' });
  });

  it('is a broken connection where the name is not known', async () => {
    // Too long for a name, so that no resolver has to be asked.
    const failure = await failureOf(clientAt(`http://${'x'.repeat(64)}.invalid/v1`).ask(asking()));
    expect(failure).toMatchObject({ failureClass: 'connection', retryable: true });
  });

  it('is a broken connection where something else than HTTP answers', async () => {
    server = await OpenAIServer.start([]);
    const failure = await failureOf(clientAt(`https://127.0.0.1:${server.port}/v1`).ask(asking()));
    expect(failure).toMatchObject({ failureClass: 'connection' });
  });

  it('times out as a whole, and lets the connection go', async () => {
    server = await OpenAIServer.start([{ kind: 'silence' }]);
    const arrived = server.nextRequest();
    const failure = await failureOf(clientAt(server.baseUrl, { timeoutMs: 100 }).ask(asking()));
    expect(failure).toMatchObject({ failureClass: 'timeout', retryable: true });
    await (await arrived).gone;
  });

  it('times out in the middle of an answer too', async () => {
    // Sends the head of an answer and then nothing.
    const stalling = createServer((_request, response) => {
      response.writeHead(200).write('{"choices":');
    });
    await new Promise<void>((resolve) => stalling.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(stalling.address() as AddressInfo).port}/v1`;
    expect(await failureOf(clientAt(baseUrl, { timeoutMs: 100 }).ask(asking()))).toMatchObject({
      failureClass: 'timeout',
    });
    stalling.closeAllConnections();
    await new Promise((resolve) => stalling.close(resolve));
  });

  it('LIF-6 rejects with the reason of the signal when we end it, and the server sees the client go', async () => {
    server = await OpenAIServer.start([{ kind: 'silence' }]);
    const segment = new AbortController();
    const reason = new Error('cancelled');
    const arrived = server.nextRequest();
    const asked = clientAt(server.baseUrl).ask(asking({ signal: segment.signal }));
    const { gone } = await arrived;
    segment.abort(reason);
    await expect(asked).rejects.toBe(reason);
    await gone;
  });

  it('leaves nothing behind on a signal that lives longer than the call', async () => {
    server = await OpenAIServer.start([{ kind: 'completion', text: 'ok' }, status(500)]);
    const { signal } = new AbortController();
    await clientAt(server.baseUrl).ask(asking({ signal }));
    await failureOf(clientAt(server.baseUrl).ask(asking({ signal })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is not made at all once the signal is aborted', async () => {
    server = await OpenAIServer.start([]);
    const reason = new Error('cancelled');
    await expect(clientAt(server.baseUrl).ask(asking({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  it('takes a slow answer that comes in time', async () => {
    let release = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    server = await OpenAIServer.start([{ kind: 'completion', text: 'late', after }]);
    const arrived = server.nextRequest();
    const asked = clientAt(server.baseUrl).ask(asking());
    await arrived;
    release();
    expect((await asked).text).toBe('late');
  });

  it('serves the next call after every kind of failure', async () => {
    const replies: Reply[] = [status(500), { kind: 'hang-up' }, { kind: 'drop-mid-body' }, { kind: 'endless' }];
    server = await OpenAIServer.start([...replies, { kind: 'completion', text: 'well' }]);
    const client = clientAt(server.baseUrl);
    for (const _ of replies) await failureOf(client.ask(asking()));
    expect((await client.ask(asking())).text).toBe('well');
  });

  it.each([
    ['the variable is not set', { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_ABSENT' }],
    ['the variable is blank', { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_BLANK' }],
    ['the key is no header value', { apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_BROKEN' }],
    ['the variable is none of those for keys', { apiKeyEnv: 'PATH' }],
    ['the address carries user info', { baseUrl: `http://${MARKER}:${MARKER}@127.0.0.1:9/v1` }],
    ['the address is none', { baseUrl: MARKER }],
  ])('is misconfigured, and not made, where %s', async (_what, provider) => {
    server = await OpenAIServer.start([]);
    const failure = await failureOf(clientAt(server.baseUrl, provider).ask(asking()));
    expect(failure).toMatchObject({ failureClass: 'misconfigured', retryable: false });
    expect(server.requests).toHaveLength(0);
    expect(allThatALogCouldShow(failure)).not.toContain(MARKER);
  });

  const quoting: [string, Reply][] = [
    ...[301, 400, 401, 404, 408, 429, 500, 503].map((code): [string, Reply] => [
      `status ${code}`,
      {
        kind: 'raw',
        status: code,
        reason: MARKER,
        headers: { 'x-request-id': MARKER, 'retry-after': MARKER, location: `/${MARKER}` },
        body: JSON.stringify({ error: { message: MARKER, type: MARKER, code: MARKER, param: MARKER } }),
      },
    ]),
    ['text with status 500', { kind: 'raw', status: 500, body: MARKER }],
    ['text with status 200', { kind: 'raw', status: 200, reason: MARKER, body: MARKER }],
    ['JSON that ends early', { kind: 'raw', status: 200, body: `{"choices":"${MARKER}` }],
    [
      'JSON of another shape',
      { kind: 'raw', status: 200, body: JSON.stringify({ [MARKER]: MARKER, choices: MARKER }) },
    ],
    [
      'an error with status 200',
      { kind: 'raw', status: 200, body: JSON.stringify({ error: { message: MARKER, code: 400 } }) },
    ],
    [
      'a prototype name',
      { kind: 'raw', status: 200, body: `{"__proto__":{"a":"${MARKER}"},"choices":[{"message":{}}]}` },
    ],
    [
      'what the SDK refuses',
      {
        kind: 'raw',
        status: 200,
        body: `{"choices":[{"message":{"content":[{"type":"text","text":"${MARKER}","__proto__":{"a":1}}]}}]}`,
      },
    ],
    ['a wrong encoding', { kind: 'raw', status: 200, headers: { 'content-encoding': 'gzip' }, body: MARKER }],
    ['a broken connection', { kind: 'drop-mid-body' }],
  ];

  it.each(quoting)('shows nothing of what was sent either way: %s', async (_what, reply) => {
    expect(allThatALogCouldShow(await failureTo(reply))).not.toContain(MARKER);
  });
});
