import type { Clock } from '../../event-store/clock.js';

export interface ChangeLimits {
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Tells those who wait for a run that the read model knows something new of it. Nobody polls. */
export class RunChanges {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<(runIds: ReadonlySet<string>) => void>();

  constructor(private readonly clock: Pick<Clock, 'wait'>) {}

  /**
   * Resolves at the next change of the run, or when a limit is reached. Whoever has just read the run and calls this in
   * the same tick misses nothing.
   */
  next(runId: string, { timeoutMs, signal }: ChangeLimits): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const over = new AbortController();
      const waiting = this.#waiting.get(runId) ?? new Set();
      const finish = () => {
        waiting.delete(finish);
        if (waiting.size === 0 && this.#waiting.get(runId) === waiting) this.#waiting.delete(runId);
        signal?.removeEventListener('abort', finish);
        over.abort();
        resolve();
      };
      this.#waiting.set(runId, waiting.add(finish));
      signal?.addEventListener('abort', finish);
      void this.clock.wait(timeoutMs, over.signal).then(finish);
    });
  }

  /** Calls the listener with the runs of each batch that was taken in, until the function that is returned is called. */
  listen(listener: (runIds: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(runIds: ReadonlySet<string>): void {
    for (const runId of runIds) for (const finish of [...(this.#waiting.get(runId) ?? [])]) finish();
    for (const listener of [...this.#listeners]) listener(runIds);
  }
}
