import { Clock } from '../../src/event-store/clock.js';

interface Alarm {
  readonly atMs: number;
  ring(): void;
}

/** Time that passes only when a test lets it, in whole milliseconds: waits last until the clock gets there. */
export class VirtualClock extends Clock {
  #nowMs: number;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs = Date.parse('2030-01-01T00:00:00.000Z')) {
    super();
    this.#nowMs = startMs;
  }

  override now(): number {
    return this.#nowMs;
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const ring = () => {
        this.#alarms.delete(alarm);
        signal?.removeEventListener('abort', ring);
        resolve();
      };
      const alarm = { atMs: this.#nowMs + Math.ceil(Math.max(0, ms)), ring };
      this.#alarms.add(alarm);
      signal?.addEventListener('abort', ring);
    });
  }

  /** Lets everything run that can without time passing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets so many milliseconds pass, ringing what is due on the way, each at its own time. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await this.settle();
    for (let next = this.#next(); next !== undefined && next.atMs <= untilMs; next = this.#next()) {
      await this.#goTo(next);
    }
    this.#nowMs = untilMs;
  }

  /** Lets as much time pass as it takes for the promise to settle. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let over = false;
    const settled = promise.finally(() => {
      over = true;
    });
    settled.catch(() => {});
    for (await this.settle(); !over; ) {
      const next = this.#next();
      if (next === undefined) throw new Error('it waits for something that time does not bring');
      await this.#goTo(next);
    }
    return settled;
  }

  /** Lets as much time pass as it takes for the condition to hold. */
  async untilTrue(condition: () => boolean): Promise<void> {
    for (await this.settle(); !condition(); ) {
      const next = this.#next();
      if (next === undefined) throw new Error('time alone does not make it true');
      await this.#goTo(next);
    }
  }

  #next(): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) if (first === undefined || alarm.atMs < first.atMs) first = alarm;
    return first;
  }

  async #goTo(alarm: Alarm): Promise<void> {
    this.#nowMs = Math.max(this.#nowMs, alarm.atMs);
    alarm.ring();
    await this.settle();
  }
}
