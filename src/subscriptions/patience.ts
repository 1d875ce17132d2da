import type { Clock } from '../event-store/clock.js';
import type { Entropy } from '../event-store/entropy.js';
import { StoreUnavailable } from '../event-store/errors.js';
import { DatabaseUnavailable } from '../sqlite/errors.js';
import { type BackOff, backOffMs } from './back-off.js';
import { RetryLater } from './feed-consumer.js';

const AWAY_BACK_OFF: BackOff = { firstMs: 20, longestMs: 5_000 };

/** The one who waits was told to stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Whether nothing is wrong with the event at hand: what it needs is away, or it is the wrong moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof RetryLater || error instanceof StoreUnavailable || error instanceof DatabaseUnavailable;
}

/** Waits between tries, until it is told to stop. */
export class Patience {
  constructor(
    private readonly clock: Pick<Clock, 'wait'>,
    private readonly entropy: Pick<Entropy, 'fraction'>,
    private readonly signal: AbortSignal,
    private readonly onFailure: (error: unknown, failures: number) => void,
  ) {}

  /**
   * Repeats the action for as long as what it needs is away.
   *
   * @throws {Stopped} in a pause between two tries. Whatever else goes wrong is thrown as it comes.
   */
  async whileAway(action: () => void | Promise<void>): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await action();
        return;
      } catch (error) {
        if (!isPassing(error)) throw error;
        await this.after(error, failures, AWAY_BACK_OFF);
      }
    }
  }

  /** Reports a failure and pauses before the next try. @throws {Stopped} */
  async after(error: unknown, failures: number, backOff = AWAY_BACK_OFF): Promise<void> {
    this.onFailure(error, failures);
    await this.clock.wait(backOffMs(backOff, failures, this.entropy.fraction()), this.signal);
    if (this.signal.aborted) throw new Stopped();
  }
}
