import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ChatHttpRequest, faultOfChatRequest } from './chat-request-rules.js';

/** A call as the server's model makes it; everything but the function can be left out or given in another type. */
export interface ServedCall {
  readonly id?: unknown;
  readonly function: { readonly name?: unknown; readonly arguments?: unknown };
}

/** What the server does with one request. */
export type Reply =
  /** A chat completion. `usage` null: none is reported; absent: 10 tokens in, 5 out. */
  | {
      readonly kind: 'completion';
      readonly text?: string | null;
      readonly calls?: readonly ServedCall[];
      readonly usage?: unknown;
      readonly model?: unknown;
      /** Answers only once this resolves: a slow model, without a clock. */
      readonly after?: Promise<unknown>;
    }
  /** Any status, reason phrase, headers and body. */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly reason?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
    }
  /** Never answers; `Received.gone` tells when the client went away. */
  | { readonly kind: 'silence' }
  /** Closes the connection before any answer. */
  | { readonly kind: 'hang-up' }
  /** Promises a long answer, sends its beginning and closes the connection. */
  | { readonly kind: 'drop-mid-body' }
  /** Sends blanks for as long as the client reads. */
  | { readonly kind: 'endless' };

/** A request as it arrived. */
export interface Received extends ChatHttpRequest {
  /** Resolves once the answer is complete or the connection is closed, whichever comes first. */
  readonly gone: Promise<void>;
}

/** Decides the reply to a request; `index` counts requests from 0. */
export type Responder = (request: Received, index: number) => Reply;

/**
 * A real HTTP server on loopback that speaks the OpenAI chat-completions format and is as strict about requests as the
 * strictest servers are (`chat-request-rules.ts`): a request that breaks a rule is answered 400, whatever was scripted.
 */
export class OpenAIServer {
  /** Everything that arrived, refused requests included, in order. */
  readonly requests: Received[] = [];
  private accepted = 0;
  private readonly arrivals: ((request: Received) => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly respond: Responder,
  ) {
    server.on('connection', () => {
      this.accepted += 1;
    });
  }

  /** How many connections were accepted so far. */
  get connections(): number {
    return this.accepted;
  }

  /** Starts on a free port; the n-th request gets the n-th reply, or each gets what the responder says. */
  static async start(replies: Responder | readonly Reply[]): Promise<OpenAIServer> {
    const http = createServer((request, response) => {
      started.serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    const started = new OpenAIServer(http, typeof replies === 'function' ? replies : inOrder(replies));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return started;
  }

  /** What a configuration gives as `baseUrl`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The next request that arrives after this call. */
  nextRequest(): Promise<Received> {
    return new Promise((resolve) => this.arrivals.push(resolve));
  }

  /** Drops every connection and stops listening. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const received: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: body as ChatHttpRequest['body'],
      gone: new Promise((resolve) => response.once('close', resolve)),
    };
    const index = this.requests.push(received) - 1;
    for (const tell of this.arrivals.splice(0)) tell(received);
    const fault = faultOfChatRequest(received);
    if (fault !== undefined)
      return sendJson(response, 400, { error: { message: fault, type: 'invalid_request_error' } });
    await give(this.respond(received, index), response, index);
  }
}

/** One reply after the other; a request too many is a fault of the test, and is answered 500. */
function inOrder(replies: readonly Reply[]): Responder {
  return (_request, index) => replies[index] ?? { kind: 'raw', status: 500, body: 'no reply was scripted' };
}

async function give(reply: Reply, response: ServerResponse, index: number): Promise<void> {
  switch (reply.kind) {
    case 'completion': {
      await reply.after;
      sendJson(response, 200, completionOf(reply, index));
      return;
    }
    case 'raw':
      response.writeHead(reply.status, reply.reason, reply.headers).end(reply.body);
      return;
    case 'silence':
      return;
    case 'hang-up':
      response.socket?.destroy();
      return;
    case 'drop-mid-body':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      response.write('{"choices":[', () => response.socket?.destroy());
      return;
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' });
      pour(response, response.socket);
      return;
  }
}

function completionOf(reply: Extract<Reply, { kind: 'completion' }>, index: number): object {
  const calls = reply.calls?.map((call) => ({ type: 'function', ...call }));
  const usage = reply.usage === undefined ? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } : reply.usage;
  return {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 0,
    model: reply.model ?? 'served-model',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text ?? null,
          ...(calls === undefined ? {} : { tool_calls: calls }),
        },
        finish_reason: calls === undefined ? 'stop' : 'tool_calls',
      },
    ],
    ...(usage === null ? {} : { usage }),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Writes whenever the client has taken what was written, and so ends when the client does. */
function pour(response: ServerResponse, socket: Socket | null): void {
  const blanks = Buffer.alloc(256 * 1024, ' ');
  const more = () => {
    while (socket?.destroyed === false && response.write(blanks));
  };
  response.on('drain', more);
  more();
}
