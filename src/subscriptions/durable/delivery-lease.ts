import type { Clock } from '../../event-store/clock.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import type { SubscribersFile } from './subscribers-file.js';

/** How long the right to deliver is held without being renewed, in milliseconds. */
export const LEASE_MS = 30_000;

/** One process's right to deliver to one consumer. */
export class DeliveryLease {
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly file: SubscribersFile,
    private readonly consumer: string,
    private readonly holder: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  get held(): boolean {
    return this.clock.now() < this.#heldUntil;
  }

  /** Takes or renews it; true when it is held, also where the file is away and it has not run out yet. */
  take(): boolean {
    const now = Math.floor(this.clock.now());
    const until = now + LEASE_MS;
    try {
      this.#heldUntil = this.file.hold(this.consumer, this.holder, now, until) ? until : Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
    return this.held;
  }

  /** Lets another process deliver at once. Where the file is away, it does when the lease has run out. */
  release(): void {
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    try {
      this.file.release(this.consumer, this.holder);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  }
}
