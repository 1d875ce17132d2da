/**
 * Tells waiting feeds that the log may have grown: at once for appends of this process, and by looking again every
 * `pollMs` milliseconds for those of others. Looks only while somebody waits.
 */
export class ChangeWatch {
  readonly #version: () => unknown;
  readonly #pollMs: number;
  readonly #waiting = new Set<() => void>();
  #seen: unknown;
  #timer: NodeJS.Timeout | undefined;

  /** @param version something cheap that differs once another process has changed the log. */
  constructor(version: () => unknown, pollMs: number) {
    this.#version = version;
    this.#pollMs = pollMs;
  }

  /**
   * Resolves at the next change or when the signal fires. Whoever has just read and found nothing calls this in the same
   * tick, so no change falls between; one that was seen already only costs a needless read.
   */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        if (this.#waiting.size === 0) clearInterval(this.#timer);
        resolve();
      };
      if (this.#waiting.size === 0) this.#timer = setInterval(() => this.#poll(), this.#pollMs);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
    });
  }

  wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** A version that cannot be read wakes everybody: their own reading finds out what is wrong. */
  #poll(): void {
    let version: unknown;
    try {
      version = this.#version();
    } catch {
      this.wakeAll();
      return;
    }
    if (version === this.#seen) return;
    this.#seen = version;
    this.wakeAll();
  }
}
