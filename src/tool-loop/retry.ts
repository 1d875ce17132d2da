const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/**
 * When a failed model call is tried again: exponential back-off with equal jitter, and never before the provider said. The
 * jitter comes on top of what the provider said, too: all runs that it turned away at once must not come back at once.
 *
 * @param attempt 1 for the first retry
 * @param retryAfterMs what the provider asked for, 0 for nothing
 * @param fraction in [0, 1)
 * @returns epoch milliseconds
 */
export function retryAt(nowMs: number, attempt: number, retryAfterMs: number, fraction: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
  return nowMs + Math.max(retryAfterMs, delayMs / 2) + (delayMs / 2) * fraction;
}
