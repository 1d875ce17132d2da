interface Awaited {
  readonly takenAtMs: number;
  /** Revision of the claim in the run's stream. */
  readonly revision: number;
}

/** Of more claims than these the news of the oldest is not waited for any more. */
const MOST_AWAITED = 256;

/**
 * How long it takes from the moment that a worker takes a run until the log tells of its claim, measured on this worker's
 * own claims, and so by one clock. Others will hear of them about as late.
 */
export class NewsLag {
  readonly #awaited = new Map<string, Awaited>();
  #usualMs = 0;

  /** A run was taken and then claimed; the log has not told of it yet. */
  awaits(runId: string, claim: Awaited): void {
    this.#awaited.delete(runId);
    this.#awaited.set(runId, claim);
    for (const oldest of this.#awaited.keys()) {
      if (this.#awaited.size <= MOST_AWAITED) break;
      this.#awaited.delete(oldest);
    }
  }

  /** The log tells of a claim of the run, by whomever. */
  heard(runId: string, revision: number, nowMs: number): void {
    const awaited = this.#awaited.get(runId);
    if (awaited === undefined || revision < awaited.revision) return;
    this.#awaited.delete(runId);
    this.measured(nowMs - awaited.takenAtMs);
  }

  /** Up at once and down slowly: what is too long costs the runs of a dead worker a moment, what is too short costs claims. */
  measured(lagMs: number): void {
    this.#usualMs = Math.max(lagMs, this.#usualMs + (lagMs - this.#usualMs) / 8);
  }

  /** In milliseconds, news that are still to come included. */
  currentMs(nowMs: number): number {
    // In the order in which they were claimed, so the first has been awaited for longest, or nearly.
    for (const { takenAtMs } of this.#awaited.values()) return Math.max(this.#usualMs, nowMs - takenAtMs);
    return this.#usualMs;
  }
}
