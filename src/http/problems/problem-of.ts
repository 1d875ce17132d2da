import { HttpException } from '@nestjs/common';
import { StoreUnavailable } from '../../event-store/errors.js';
import { IssuerUnavailable } from '../../openid/issuer-unavailable.js';
import { Problem, type ProblemCode } from './problem.js';

/** What the framework itself refuses, told by its status alone: its own words may repeat what was sent. */
const BY_STATUS: ReadonlyMap<number, ProblemCode> = new Map([
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'request-timeout'],
  [413, 'payload-too-large'],
  [414, 'address-too-long'],
  [415, 'unsupported-media-type'],
  [431, 'headers-too-large'],
]);

/** Seconds after which a client may try again when the store was away, or the issuer. */
const RETRY_AFTER_SECONDS = '1';
const ISSUER_RETRY_AFTER_SECONDS = '5';

/** Everything that can be thrown while a request is answered, in the one shape that clients get. */
export function problemOf(thrown: unknown, correlationId: string): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof StoreUnavailable) {
    return new Problem('store-unavailable', { correlationId }, { 'Retry-After': RETRY_AFTER_SECONDS });
  }
  if (thrown instanceof IssuerUnavailable) {
    return new Problem('issuer-unavailable', { correlationId }, { 'Retry-After': ISSUER_RETRY_AFTER_SECONDS });
  }
  const status = statusOf(thrown);
  if (status === undefined || status < 400 || status >= 500) return new Problem('internal', { correlationId });
  const code = BY_STATUS.get(status);
  return code === undefined ? new Problem('invalid-request', { errors: [] }) : new Problem(code);
}

/** Nest's own exceptions, and Fastify's errors, which all have a code of its own family. */
function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (!(thrown instanceof Error)) return undefined;
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown };
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number' ? statusCode : undefined;
}
