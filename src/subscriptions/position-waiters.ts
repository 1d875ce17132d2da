import type { Clock } from '../event-store/clock.js';

export interface WaitLimits {
  /** Milliseconds; absent: as long as it takes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Those of this process who wait for a feed to get somewhere. */
export class PositionWaiters {
  readonly #waiting = new Set<{ readonly position: bigint; readonly finish: (reached: boolean) => void }>();

  constructor(private readonly clock: Pick<Clock, 'wait'>) {}

  /** Resolves with true once {@link reached} was told the position, and with false when a limit came first. */
  wait(position: bigint, { timeoutMs, signal }: WaitLimits): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const over = new AbortController();
      const finish = (reached: boolean) => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', giveUp);
        over.abort();
        resolve(reached);
      };
      const giveUp = () => finish(false);
      const waiter = { position, finish };
      this.#waiting.add(waiter);
      signal?.addEventListener('abort', giveUp);
      if (timeoutMs !== undefined) void this.clock.wait(timeoutMs, over.signal).then(giveUp);
    });
  }

  reached(position: bigint): void {
    for (const waiter of this.#waiting) if (waiter.position <= position) waiter.finish(true);
  }

  /** Nobody will get any further. */
  giveUp(): void {
    for (const waiter of this.#waiting) waiter.finish(false);
  }
}
