import { SegmentLog } from '../../src/tool-loop/segment-log.js';

/** For segments of which nobody wants to hear. */
export class SilentLog extends SegmentLog {
  override modelAnswered(): void {}
  override modelFailed(): void {}
  override requeued(): void {}
  override runFailed(): void {}
  override toolCalled(): void {}
  override toolFailed(_runId: string, _callId: string, _toolName: string, _failure: unknown): void {}
  override unexpected(_runId: string, _where: string, _failure: unknown): void {}
}
