import { Injectable, Logger } from '@nestjs/common';
import type { ClaimResult } from '../commands/claim-run.command.js';
import { describeFailure } from '../logging/describe-failure.js';
import { Metrics } from '../metrics/metrics.js';
import { SegmentLog } from '../tool-loop/segment-log.js';
import type { SegmentEnd } from '../tool-loop/tool-loop.service.js';
import type { ResumeLog } from './resume-runs.js';

/** Tells the operator, in log and metrics, what becomes of runs: ids, names and classes, never content. */
@Injectable()
export class RunLog extends SegmentLog implements ResumeLog {
  private readonly logger = new Logger('Run');

  constructor(private readonly metrics: Metrics) {
    super();
  }

  claimed(runId: string, reply: ClaimResult['reply']): void {
    this.metrics.claimed(reply);
    if (reply === 'claimed') this.logger.debug({ runId, reply }, 'claim');
    // No segment follows on these, which would say what became of the run; its timeline says why.
    if (reply === 'failed') this.logger.warn({ runId, reply }, 'the run failed when it was to be claimed');
    if (reply === 'released')
      this.logger.warn({ runId, reply }, 'the answer was handed back when the run was to be claimed');
  }

  ended(runId: string, end: SegmentEnd): void {
    this.metrics.segmentEnded(end);
    this.logger.log({ runId, end }, 'segment ended');
  }

  tableFailed(failure: unknown): void {
    this.logger.error(describeFailure(failure), 'the due table cannot be asked');
  }

  setAside(runId: string, failure: unknown): void {
    const described = describeFailure(failure);
    this.metrics.setAside(described.error);
    this.logger.error({ runId, ...described }, 'the run cannot be worked on now');
  }

  override modelAnswered(durationMs: number): void {
    this.metrics.modelCalled('answered', durationMs);
  }

  override modelFailed(runId: string, failureClass: string, retryable: boolean, durationMs: number): void {
    this.metrics.modelCalled(failureClass, durationMs);
    this.logger.warn({ runId, failureClass, retryable }, 'the model call failed');
  }

  override requeued(_runId: string, reason: string): void {
    this.metrics.requeued(reason);
  }

  override runFailed(runId: string, reason: string): void {
    this.logger.warn({ runId, reason }, 'the run failed');
  }

  override toolCalled(toolName: string, outcome: string, durationMs: number): void {
    this.metrics.toolCalled(toolName, outcome, durationMs);
  }

  override toolFailed(runId: string, callId: string, toolName: string, failure: unknown): void {
    this.logger.warn({ runId, callId, toolName, ...describeFailure(failure) }, 'the tool failed');
  }

  override unexpected(runId: string, where: string, failure: unknown): void {
    this.logger.error({ runId, where, ...describeFailure(failure) }, 'unexpected failure');
  }
}
