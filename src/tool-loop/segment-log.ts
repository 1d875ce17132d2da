/**
 * What a segment tells the operator. Ids, names and classes only: an error's message may hold what a person submitted
 * or what a model wrote, so it stays out; its class and the places it came through are enough to find the fault.
 */
export abstract class SegmentLog {
  abstract modelAnswered(durationMs: number): void;
  abstract modelFailed(runId: string, failureClass: string, retryable: boolean, durationMs: number): void;
  abstract requeued(runId: string, reason: string): void;
  /** The run failed; `reason` as its settling event has it (LIF-7). */
  abstract runFailed(runId: string, reason: string): void;
  abstract toolCalled(toolName: string, outcome: string, durationMs: number): void;
  abstract toolFailed(runId: string, callId: string, toolName: string, failure: unknown): void;
  abstract unexpected(runId: string, where: string, failure: unknown): void;
}
