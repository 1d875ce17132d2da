import { timestamp } from '../event-store/clock.js';
import { AppendRefused } from '../event-store/errors.js';
import type { Streams } from '../event-store/streams.js';
import type { ErrorClass, FailDetail, FailReason, NewRunEvent, RunEvent } from '../events/run-events.js';
import type { RunningRun } from '../run/run-state.js';
import type { ToolCallContext } from '../tools/tool.js';
import type { SegmentLog } from './segment-log.js';
import { SegmentLost, type SegmentWriter } from './segment-writer.js';
import type { Transcript } from './transcript.js';

/** How a segment is told from outside that its work has changed its worth. */
export interface SegmentSignals {
  /** The service stops: no further step begins. */
  readonly stopping: AbortSignal;
  /** The service has waited long enough: the step under way is given up. */
  readonly abandoning: AbortSignal;
  /** The run was cancelled or taken over, as far as this worker has heard. */
  readonly lost: AbortSignal;
}

/** One segment under way: what its steps share, and how what they did is recorded. */
export class Segment {
  /** Fires when what is under way is no longer wanted: the run was lost, or the service stops waiting for it. */
  readonly signal: AbortSignal;

  constructor(
    private readonly writer: SegmentWriter,
    readonly transcript: Transcript,
    private readonly streams: Streams,
    private readonly signals: SegmentSignals,
    private readonly log: SegmentLog,
  ) {
    this.signal = AbortSignal.any([writer.lost, signals.lost, signals.abandoning]);
  }

  get stopping(): boolean {
    return this.signals.stopping.aborted;
  }

  get goesOn(): boolean {
    return this.writer.current().status === 'running';
  }

  /** The run as this segment last wrote it. @throws {SegmentLost} it is not running any more. */
  run(): RunningRun {
    return this.writer.running();
  }

  /** @throws {SegmentLost} */
  ensureLease(): Promise<void> {
    return this.writer.ensureLease();
  }

  /**
   * Appends, and takes what the model will read into the transcript.
   *
   * @throws {SegmentLost} @throws {AppendRefused} the events are too large; nothing was written.
   */
  async append(events: readonly NewRunEvent[]): Promise<void> {
    for (const event of await this.writer.append(events)) {
      if (isOfTranscript(event)) this.transcript.record(event);
    }
  }

  /** What can never be stored ends the run with a reason, rather than come back for ever (INP-10). */
  async appendOrFail(events: readonly NewRunEvent[], [reason, detail]: [FailReason, FailDetail]): Promise<void> {
    try {
      await this.append(events);
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      this.log.unexpected(this.run().runId, `${detail}: ${error.refusal}`, error);
      await this.fail(reason, 'event_too_large', detail);
    }
  }

  fail(reason: FailReason, errorClass: ErrorClass, detail: FailDetail): Promise<void> {
    return fail(this.writer, reason, errorClass, detail);
  }

  handBack(): Promise<void> {
    return handBack(this.writer, this.streams.clock.now());
  }

  /** The step under way was given up; nothing of it is recorded. @throws {SegmentLost} the run is not ours to hand back. */
  async giveUp(): Promise<void> {
    if (!this.stopping) throw new SegmentLost();
    await this.handBack();
  }

  callContext(callId: string): ToolCallContext {
    const { runId, ownerId } = this.run();
    return { runId, callId, ownerId, idempotencyKey: `${runId}/${callId}`, signal: this.signal };
  }
}

/** Settles the run: nobody can do anything more for it. */
export async function fail(
  writer: SegmentWriter,
  reason: FailReason,
  errorClass: ErrorClass,
  detail: FailDetail,
): Promise<void> {
  await writer.append([{ type: 'RunFailed', data: { reason, errorClass, detail } }]);
}

/** Whoever comes next takes the run at once, and it costs the run nothing. */
export async function handBack(writer: SegmentWriter, nowMs: number): Promise<void> {
  const { attempts } = writer.running();
  const notBefore = timestamp(nowMs);
  await writer.append([{ type: 'RunRequeued', data: { reason: 'worker_stopped', attempt: attempts, notBefore } }]);
}

function isOfTranscript(
  event: RunEvent,
): event is Extract<RunEvent, { type: 'RunStarted' | 'ModelResponded' | 'ToolCallCompleted' | 'CallResolved' }> {
  return event.type === 'ModelResponded' || event.type === 'ToolCallCompleted';
}
