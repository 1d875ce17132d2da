/** Measures how long the event loop was held up. */
export class LoopWatch {
  /** Turns the loop for so many milliseconds and returns the longest that one turn took. */
  watchFor(durationMs: number): Promise<number> {
    return new Promise((resolve) => {
      const start = performance.now();
      let last = start;
      let longest = 0;
      const turn = () => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        if (now - start >= durationMs) resolve(longest);
        else setImmediate(turn);
      };
      setImmediate(turn);
    });
  }
}

/** Keeps the thread busy, as a long computation does. */
export function holdUpTheLoop(durationMs: number): void {
  const end = performance.now() + durationMs;
  while (performance.now() < end);
}
