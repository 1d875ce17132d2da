/** Whole milliseconds between two readings of a clock. */
export function elapsed(fromMs: number, toMs: number): number {
  // A clock that was set back must not make an event that its own schema refuses.
  return Math.max(0, Math.round(toMs - fromMs));
}
