import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DynamicModule, RequestMethod } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LoggerModule } from 'nestjs-pino';
import type { Options } from 'pino-http';
import { describeFailure } from '../logging/describe-failure.js';

/** What is logged of an address: remembered where the route is known, written where the answer is. */
const places = new WeakMap<IncomingMessage, string>();

/** Ids of runs are made here, and are what an operator looks for. */
const RUN_ID = /^[0-9a-f]{32}$/;

/**
 * Remembers, for the line about a request, the route that it took with the id of the run in it. Whatever else stands in
 * an address is the client's text, and can be a token or content that was put in the wrong place.
 */
export function notePlace({ raw, routeOptions, params }: FastifyRequest): void {
  const { id } = (params ?? {}) as { readonly id?: string };
  const { url = '(no route)' } = routeOptions;
  places.set(raw, RUN_ID.test(id ?? '') ? url.replace(':id', id as string) : url);
}

/**
 * One line of JSON a request. What a line may hold is listed here, instead of what it may not: method, route and status.
 * Headers, query strings and bodies have no place in it, so that neither a token nor content can come into the log.
 */
function loggingOptions(level: string): Options {
  return {
    level,
    genReqId: (request) => request.id,
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'correlationId' },
    autoLogging: { ignore: (request) => places.get(request)?.startsWith('/health/') === true },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    wrapSerializers: false,
    serializers: { req: requestLine, res: ({ statusCode }: ServerResponse) => ({ statusCode }), err: describeFailure },
    redact: { paths: ['authorization', '*.authorization', '*.*.authorization'], censor: 'withheld' },
  };
}

/** @param destination where the lines go; absent: standard output */
export function loggerModule(level: string, destination?: { write(line: string): void }): DynamicModule {
  const options = loggingOptions(level);
  return LoggerModule.forRoot({
    pinoHttp: destination === undefined ? options : [options, destination],
    // What the logger takes for every route by itself matches none under Fastify.
    forRoutes: [{ path: '{*path}', method: RequestMethod.ALL }],
  });
}

function requestLine(request: IncomingMessage) {
  return { method: request.method, path: places.get(request) };
}
