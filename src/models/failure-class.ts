import { ModelCallFailed, type ModelFailureClass } from './model-provider.js';

/** The longest time that a provider can make us wait: ten minutes. */
const MAX_RETRY_AFTER_MS = 600_000;

/**
 * The failure that an HTTP status stands for (CLM-5). 409 counts as the server's trouble because the APIs that use it
 * mean "try again"; a redirect is the operator's to mend, since it is never followed.
 */
export function failureOfStatus(status: number, retryAfterMs?: number): ModelCallFailed {
  const failureClass = classOfStatus(status);
  const cause = new Error(`the provider answered with status ${status}`);
  return new ModelCallFailed(failureClass, retryAfterMs, { cause });
}

function classOfStatus(status: number): ModelFailureClass {
  if (status === 429) return 'rate_limited';
  if (status === 408) return 'timeout';
  if (status === 409 || status >= 500) return 'server_error';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status >= 400) return 'bad_request';
  if (status >= 300) return 'misconfigured';
  return 'malformed_answer';
}

/**
 * Milliseconds to wait by a `Retry-After` header (RFC 9110, 10.2.3): seconds, or a date in the one form that may still
 * be sent. At most ten minutes; a date that has passed is 0; anything else is as if the header were absent.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const value = header.trim();
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), MAX_RETRY_AFTER_MS);
}
