import { DatabaseUnavailable } from './errors.js';

/** How long a locked database is tried again before the caller is told that it is unavailable, in milliseconds. */
export const LOCK_PATIENCE_MS = 2_000;

const LONGEST_PAUSE_MS = 25;

export function isBusy(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.reason === 'busy';
}

/**
 * The pause before the n-th new try (from 0), in milliseconds: it doubles up to 25 and is drawn at random, so that
 * processes that wait for the same lock do not keep meeting.
 */
export function pauseBeforeRetryMs(retry: number): number {
  return 1 + Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** retry);
}

/**
 * Runs the action, again and again while the database is locked, by timer: SQLite's own waiting would freeze the
 * event loop. The first try happens before this function returns.
 *
 * @throws {DatabaseUnavailable} `busy` once the patience (milliseconds) is used up.
 */
export async function retryWhileBusy<T>(action: () => T, patienceMs = LOCK_PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let retry = 0; ; retry++) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseBeforeRetryMs(retry)));
  }
}
