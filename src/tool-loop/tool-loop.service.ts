import { StoreUnavailable } from '../event-store/errors.js';
import type { DecisionContext, Loaded } from '../event-store/loaded.js';
import type { Streams } from '../event-store/streams.js';
import type { RunEventType } from '../events/run-events.js';
import { nextStep, type Step } from '../run/next-step.js';
import type { RunState } from '../run/run-state.js';
import { suspendForApproval } from './approval-pause.js';
import { CallStep } from './call-step.js';
import type { LiveRecords, RunSurroundings } from './live-records.js';
import { ModelStep } from './model-step.js';
import { fail, handBack, Segment, type SegmentSignals } from './segment.js';
import type { SegmentLog } from './segment-log.js';
import { SegmentLost, SegmentWriter } from './segment-writer.js';
import { Transcript, TranscriptUnreadable } from './transcript.js';

export interface SegmentSettings {
  readonly leaseMs: number;
  readonly workerId: string;
}

/** How a segment ended: the run is no longer this worker's in every case. */
export type SegmentEnd = RunState['status'] | 'lost';

/**
 * Executes one segment of a claimed run: the next step, again and again, until the run pauses, settles, is requeued or
 * is lost. Starting, resuming and going on after a crash are the same loop over the same history.
 */
export class ToolLoopService {
  private readonly model: ModelStep;
  private readonly calls: CallStep;

  constructor(
    private readonly streams: Streams,
    private readonly live: LiveRecords,
    private readonly settings: SegmentSettings,
    private readonly log: SegmentLog,
  ) {
    this.model = new ModelStep(streams, live, log);
    this.calls = new CallStep(streams.clock, log);
  }

  /**
   * @param claimed the run as its claim left it
   */
  async runSegment(claimed: Loaded<RunState, RunEventType>, signals: SegmentSignals): Promise<SegmentEnd> {
    const context: DecisionContext = {
      actor: { kind: 'worker', id: this.settings.workerId },
      correlationId: claimed.events[claimed.events.length - 1]?.correlationId ?? claimed.stream,
    };
    const writer = new SegmentWriter(this.streams, claimed, context, this.settings.leaseMs);
    const lease = writer.keepLease(this.streams.clock);
    try {
      const transcript = await Transcript.open(this.streams, claimed.stream, writer.running());
      await this.performSteps(new Segment(writer, transcript, this.streams, signals, this.log));
      return this.endOf(writer);
    } catch (error) {
      return await this.endBadly(writer, error);
    } finally {
      await writer.release();
      await lease;
    }
  }

  private async performSteps(segment: Segment): Promise<void> {
    while (segment.goesOn) {
      if (segment.stopping) return segment.handBack();
      const run = segment.run();
      const surroundings = await this.live.of(run);
      await segment.ensureLease();
      if (surroundings.configuration === null) {
        return segment.fail('configuration_gone', 'none', 'at_model_call');
      }
      const offered = surroundings.offered.map(({ declaration }) => declaration.name);
      await this.perform(segment, nextStep(run, offered), surroundings);
    }
  }

  private async perform(segment: Segment, step: Step, surroundings: RunSurroundings): Promise<void> {
    switch (step.kind) {
      case 'ask_model':
        return this.model.ask(segment, step.closing ? step.because : null, surroundings);
      case 'suspend_for_approval':
        return suspendForApproval(segment, step.calls, surroundings, this.streams.entropy);
      case 'suspend_for_resolution': {
        const { callId, toolName } = step;
        return segment.append([{ type: 'RunSuspendedForResolution', data: { callId, toolName } }]);
      }
      case 'execute':
        return this.calls.execute(segment, step, surroundings);
      case 'refuse':
        return this.calls.refuse(segment, step);
    }
  }

  private async endBadly(writer: SegmentWriter, error: unknown): Promise<SegmentEnd> {
    if (error instanceof SegmentLost) return 'lost';
    try {
      if (error instanceof TranscriptUnreadable) {
        await fail(writer, 'corrupt_state', error.errorClass, 'at_claim');
      } else if (error instanceof StoreUnavailable) {
        // A record could not be looked up. The run is handed back as soon as the store takes it, at no cost to the run.
        await handBack(writer, this.streams.clock.now());
      } else {
        throw error;
      }
      return this.endOf(writer);
    } catch (failure) {
      if (failure instanceof SegmentLost) return 'lost';
      throw failure;
    }
  }

  private endOf(writer: SegmentWriter): SegmentEnd {
    const run = writer.current();
    if (run.status === 'failed') this.log.runFailed(run.runId, run.settlement.reason);
    return run.status;
  }
}
