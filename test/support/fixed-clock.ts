import { Clock } from '../../src/event-store/clock.js';

/** Stands still until a test moves it; waits are over at once and move it by what was waited. */
export class FixedClock extends Clock {
  constructor(public nowMs = Date.parse('2030-01-01T00:00:00.000Z')) {
    super();
  }

  override now(): number {
    return this.nowMs;
  }

  override async wait(ms: number): Promise<void> {
    this.nowMs += ms;
  }
}
