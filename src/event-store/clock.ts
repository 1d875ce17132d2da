/** Time as it is asked for below the edge; a simulation brings its own. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01T00:00Z. */
  abstract now(): number;

  /** Resolves after `ms` milliseconds, or at once when `signal` fires: look at the signal afterwards. */
  abstract wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** RFC 3339 in UTC with milliseconds, the one form in which times are stored and shown. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
