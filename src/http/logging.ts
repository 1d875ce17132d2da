import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
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
    autoLogging: { ignore: (request) => request.url?.startsWith('/health/') === true },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    wrapSerializers: false,
    serializers: { req: requestLine, res: ({ statusCode }: ServerResponse) => ({ statusCode }), err: describeFailure },
    redact: { paths: ['authorization', '*.authorization', '*.*.authorization'], censor: 'withheld' },
  };
}

/** @param destination where the lines go; absent: standard output */
export function loggerModule(level: string, destination?: { write(line: string): void }): DynamicModule {
  const options = loggingOptions(level);
  return LoggerModule.forRoot({ pinoHttp: destination === undefined ? options : [options, destination] });
}

function requestLine({ method, url = '' }: IncomingMessage) {
  const [path = ''] = url.split('?', 1);
  return { method, path: path.slice(0, MOST_PATH_CHARACTERS) };
}
