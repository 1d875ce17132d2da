import { StoreUnavailable } from '../errors.js';

/** Counts what is under way, so that closing can wait for it, and lets nothing begin afterwards. */
export class UnderWay {
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Fires when no more may begin. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** @throws {StoreUnavailable} it is closed. */
  async run<T>(action: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = action();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  assertOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailable('the event store is closed', false);
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }
}
