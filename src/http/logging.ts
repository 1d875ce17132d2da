import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DynamicModule, RequestMethod } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Options } from 'pino-http';
import { describeFailure } from '../logging/describe-failure.js';

/** Of a path: it is the client's text, and is shown only as far as it helps. */
const MOST_PATH_CHARACTERS = 200;

/**
 * One line of JSON a request. What a line may hold is listed here, instead of what it may not: method, path and status.
 * Headers, query strings and bodies have no place in it, so that neither a token nor content can come into the log.
 */
function loggingOptions(level: string): Options {
  return {
    level,
    genReqId: (request) => request.id,
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'correlationId' },
    autoLogging: { ignore: (request) => pathOf(request).startsWith('/health/') },
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
  return { method: request.method, path: pathOf(request).slice(0, MOST_PATH_CHARACTERS) };
}

/** Nest cuts the path out of `url` while a middleware of all routes runs. */
function pathOf(request: IncomingMessage & { readonly originalUrl?: string }): string {
  const [path = ''] = (request.originalUrl ?? request.url ?? '').split('?', 1);
  return path;
}
