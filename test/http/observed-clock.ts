import { SystemClock } from '../../src/event-store/clock.js';

/** Longer than anything but a client's wait takes here. */
const LONG_MS = 50_000;

/** The clock on the wall, with a view on long waits: when the next one begins, and when it is over. */
export class ObservedClock extends SystemClock {
  #expected: { begin(): void; end(): void } | undefined;

  nextLongWait(): { readonly begun: Promise<void>; readonly over: Promise<void> } {
    let begin = () => {};
    let end = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#expected = { begin, end };
    return { begun, over };
  }

  override async wait(ms: number, signal?: AbortSignal): Promise<void> {
    const expected = ms > LONG_MS ? this.#expected : undefined;
    expected?.begin();
    await super.wait(ms, signal);
    expected?.end();
  }
}
