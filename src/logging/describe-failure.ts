/** What may be logged of an error. */
export interface FailureDescription {
  /** Class of the error. */
  readonly error: string;
  /** The places it came through, innermost first. */
  readonly frames: readonly string[];
}

/**
 * Class and stack frames of an error, without its message: that may hold what a person submitted or what a model wrote
 * (INP-11).
 */
export function describeFailure(failure: unknown): FailureDescription {
  if (!(failure instanceof Error)) return { error: typeof failure, frames: [] };
  const frames = (failure.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: failure.constructor.name, frames: frames.slice(0, 10).map((line) => line.trim()) };
}
