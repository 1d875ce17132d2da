import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { MOST_BODY_BYTES } from './body/most-body-bytes.js';
import { UnreadBody } from './body/unread-body.js';
import { UnreadForm } from './body/unread-form.js';
import { DATA_POLICY } from './content-policy.js';
import { requestId } from './headers/request-id.js';
import { notePlace } from './logging.js';
import { sendProblem } from './problems/problem.filter.js';
import { PROBLEM_MEDIA_TYPE, Problem } from './problems/problem.js';
import { problemOf } from './problems/problem-of.js';

/** Bytes of a form that are looked at only to tell somebody on a page that it is too large; beyond them nobody typed it. */
const MOST_FORM_BYTES = 4 * MOST_BODY_BYTES;

/** A longer part of an address is refused before anything looks at it. */
const LONGEST_PATH_PART = 2_048;
const REQUEST_TIMEOUT_MS = 30_000;

/** Addresses of pages, which alone have forms: any site could make a browser send one to a call of the interface. */
const PAGES = /^\/inbox(?:[/?]|$)/;

/** The web server with all its limits; `main.ts` and the tests build the same one. */
export function createFastifyAdapter(): FastifyAdapter {
  const options: FastifyServerOptions = {
    bodyLimit: MOST_BODY_BYTES,
    // Names of prototypes are data; bodies are read by our own reader, which makes plain members of them.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    // `close()` must not wait for clients that keep their connections (or a stream) open.
    forceCloseConnections: true,
    // While it closes, what still comes in is answered as usual, and in our own shape where the store is gone already.
    return503OnClosing: false,
    // A slow sender of a request is given up; how long an answer takes is not limited by this.
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Nothing here depends on the client's address, and the public address comes from HOLDPOINT_BASE_URL: believing
    // X-Forwarded-* headers would only give a client something to forge.
    trustProxy: false,
    routerOptions: { maxParamLength: LONGEST_PATH_PART },
    genReqId: requestId,
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
  };
  const adapter = new HoldpointAdapter(options);
  const server = adapter.getInstance();
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    // The logger's middleware sees the raw request alone and takes its id from there.
    Object.assign(request.raw, { id: request.id });
    notePlace(request);
    reply.header('X-Request-Id', request.id);
    // Nothing that is served here may be kept by a cache: what it is depends on who asks, and when.
    reply.header('Cache-Control', 'no-store');
  });
  return adapter;
}

class HoldpointAdapter extends FastifyAdapter {
  private readsBodies = false;

  /**
   * In place of Nest's parsers: a body is JSON, or the form of a page where it goes to one, and its bytes are kept for
   * whoever may read them.
   */
  override registerParserMiddleware(): void {
    if (this.readsBodies) return;
    this.readsBodies = true;
    const server = this.getInstance();
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, new UnreadBody(body as Buffer));
    });
    const forms = { parseAs: 'buffer' as const, bodyLimit: MOST_FORM_BYTES };
    server.addContentTypeParser<Buffer>('application/x-www-form-urlencoded', forms, (request, body, done) => {
      if (PAGES.test(request.url)) done(null, new UnreadForm(body));
      else done(new Problem('unsupported-media-type'), undefined);
    });
  }
}

/** An address that cannot be routed is refused before any hook runs, so its answer brings its headers along. */
function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ ...BARE_HEADERS, 'X-Request-Id': request.id });
  sendProblem(reply, problemOf(error, request.id));
}

const BARE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': DATA_POLICY,
  'X-Content-Type-Options': 'nosniff',
};

/** What is no HTTP at all never gets as far as a request; it is answered on the bare connection. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.write(rawAnswer(problemOfClientError(error.code)));
  socket.destroy(error);
}

function problemOfClientError(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request-timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers-too-large');
  return new Problem('invalid-request', { errors: [] });
}

function rawAnswer(problem: Problem): string {
  const body = JSON.stringify(problem.body());
  return [
    `HTTP/1.1 ${problem.status} ${problem.body().title}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
