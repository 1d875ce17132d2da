/**
 * What a segment tells the operator. Ids, names and classes only: an error's message may hold what a person submitted
 * or what a model wrote, so it stays out; its class and the places it came through are enough to find the fault.
 */
export abstract class SegmentLog {
  abstract modelFailed(runId: string, failureClass: string, retryable: boolean): void;
  abstract toolFailed(runId: string, callId: string, toolName: string, failure: unknown): void;
  abstract unexpected(runId: string, where: string, failure: unknown): void;
}

/** Class and stack frames of an error, without its message. */
export function describeFailure(failure: unknown): { readonly error: string; readonly frames: readonly string[] } {
  if (!(failure instanceof Error)) return { error: typeof failure, frames: [] };
  const frames = (failure.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: failure.constructor.name, frames: frames.slice(0, 10).map((line) => line.trim()) };
}
