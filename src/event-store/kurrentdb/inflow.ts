import type { AllStreamSubscription, ResolvedEvent, StreamingRead } from '@eventstore/db-client';

/**
 * Events that the client pushes, taken at our own pace and with a limit to every wait. The client ends the process over
 * an error that nobody listens to, and ignores deadlines here; so we listen from the first moment to the last.
 */
export class Inflow {
  #failure: { readonly error: unknown } | undefined;
  #ended = false;
  /** Something has happened since the last look. */
  #news = false;
  #wake = () => {};

  constructor(
    private readonly source: StreamingRead<ResolvedEvent> | AllStreamSubscription,
    private readonly stop: () => Promise<void>,
  ) {
    source.on('error', (error: unknown) => {
      this.#failure ??= { error };
      this.wake();
    });
    source.on('end', () => {
      this.#ended = true;
      this.wake();
    });
    source.on('readable', () => this.wake());
  }

  /** Events that have come and were not taken yet. */
  get waiting(): number {
    return this.source.readableLength;
  }

  /** The next event that has come, if there is one. */
  take(): ResolvedEvent | undefined {
    this.#news = false;
    return (this.source.read() as ResolvedEvent | null) ?? undefined;
  }

  /** True when no more events come. Asked when there is nothing to take. @throws whatever the client failed with. */
  isOver(): boolean {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#ended;
  }

  /** Ends the wait that is under way, or the next one. */
  wake(): void {
    this.#news = true;
    this.#wake();
  }

  /**
   * Resolves with true at the first sign of life since the last {@link take} or when a signal fires, with false when so
   * many milliseconds passed without.
   */
  sign(ms: number, signals: readonly AbortSignal[]): Promise<boolean> {
    return new Promise((resolve) => {
      const over = (alive: boolean) => {
        clearTimeout(timer);
        this.#wake = () => {};
        for (const signal of signals) signal.removeEventListener('abort', aborted);
        resolve(alive);
      };
      const aborted = () => over(true);
      const timer = setTimeout(() => over(false), Math.max(0, ms));
      this.#wake = aborted;
      for (const signal of signals) signal.addEventListener('abort', aborted);
      if (this.#news || signals.some((signal) => signal.aborted)) aborted();
    });
  }

  /** Tells the server that nobody listens any more. */
  close(): void {
    // It waits for a call that perhaps never came to be, and what it says then interests nobody.
    this.stop().catch(() => {});
  }
}
