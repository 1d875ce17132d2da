import { timestamp } from '../event-store/clock.js';
import { AppendRefused, StoreUnavailable } from '../event-store/errors.js';
import type { DecisionContext, Loaded } from '../event-store/loaded.js';
import type { Streams } from '../event-store/streams.js';
import type { JsonObject } from '../events/json.js';
import type {
  CallRefusal,
  ErrorClass,
  FailDetail,
  FailReason,
  NewRunEvent,
  RunEvent,
  RunEventType,
} from '../events/run-events.js';
import type { ContextRefusal } from '../governance/ceiling.js';
import type { LiveTool } from '../governance/live-tools.js';
import { ModelCallFailed, type OfferedTool } from '../models/model-provider.js';
import { MOST_ATTEMPTS } from '../run/decisions/claim-run.js';
import { validateArguments } from '../run/input-schema.js';
import { nextStep, type Step } from '../run/next-step.js';
import { overlay } from '../run/overlay.js';
import type { RunState } from '../run/run-state.js';
import { turnDigest } from '../run/turn-digest.js';
import { type AnswerFacts, MAX_CALLS_PER_TURN, REFUSAL_SENTENCES, recordModelAnswer } from '../run/turn-plan.js';
import type { Asked, LiveRecords, RunSurroundings } from './live-records.js';
import { retryAt } from './retry.js';
import type { SegmentLog } from './segment-log.js';
import { SegmentLost, SegmentWriter } from './segment-writer.js';
import { executeTool, previewTool, type ToolOutcome } from './tool-call.js';
import { Transcript, TranscriptUnreadable } from './transcript.js';

export interface SegmentSettings {
  readonly leaseMs: number;
  readonly workerId: string;
}

/** How a segment ended: the run is no longer this worker's in every case. */
export type SegmentEnd = RunState['status'] | 'lost';

/** One segment under way: everything that its steps share. */
interface Segment {
  readonly writer: SegmentWriter;
  readonly transcript: Transcript;
  /** Fires when what is under way is no longer wanted: the run was lost, or the service stops waiting for it. */
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
}

/** How a segment is told from outside that its work has changed its worth. */
export interface SegmentSignals {
  /** The service stops: no further step begins. */
  readonly stopping: AbortSignal;
  /** The service has waited long enough: the step under way is given up. */
  readonly abandoning: AbortSignal;
  /** The run was cancelled or taken over, as far as this worker has heard. */
  readonly lost: AbortSignal;
}

/**
 * Executes one segment of a claimed run: the next step, again and again, until the run pauses, settles, is requeued or
 * is lost. Starting, resuming and going on after a crash are the same loop over the same history.
 */
export class ToolLoopService {
  constructor(
    private readonly streams: Streams,
    private readonly live: LiveRecords,
    private readonly settings: SegmentSettings,
    private readonly log: SegmentLog,
  ) {}

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
      const signal = AbortSignal.any([writer.lost, signals.lost, signals.abandoning]);
      await this.performSteps({ writer, transcript, signal, stopping: signals.stopping });
      return writer.current().status;
    } catch (error) {
      return await this.endBadly(writer, error);
    } finally {
      await writer.release();
      await lease;
    }
  }

  private async performSteps(segment: Segment): Promise<void> {
    while (segment.writer.current().status === 'running') {
      if (segment.stopping.aborted) return this.handBack(segment.writer);
      const run = segment.writer.running();
      const surroundings = await this.live.of(run);
      await segment.writer.ensureLease();
      if (surroundings.configuration === null) {
        await this.fail(segment.writer, 'configuration_gone', 'none', 'at_model_call');
        return;
      }
      const offered = surroundings.offered.map(({ declaration }) => declaration.name);
      await this.perform(segment, nextStep(run, offered), surroundings);
    }
  }

  private async perform(segment: Segment, step: Step, surroundings: RunSurroundings): Promise<void> {
    switch (step.kind) {
      case 'ask_model':
        return this.askModel(segment, step.closing ? step.because : null, surroundings);
      case 'suspend_for_approval':
        return this.suspendForApproval(segment, step.calls, surroundings);
      case 'suspend_for_resolution': {
        const { callId, toolName } = step;
        await segment.writer.append([{ type: 'RunSuspendedForResolution', data: { callId, toolName } }]);
        return;
      }
      case 'execute':
        return this.execute(segment, step, surroundings);
      case 'refuse':
        return this.record(segment, step, refused(step.refusal), 0);
    }
  }

  private async askModel(
    segment: Segment,
    closing: AnswerFacts['closing'],
    surroundings: RunSurroundings,
  ): Promise<void> {
    const { offered } = surroundings;
    const { clock, entropy } = this.streams;
    const run = segment.writer.running();
    const startedAt = clock.now();
    let providerAskedAt = startedAt;
    let asked: Asked;
    try {
      asked = await this.live.ask(
        run,
        surroundings,
        {
          messages: segment.transcript.messages,
          tools: closing === null ? offered.map(offeredToModel) : [],
          options: run.options,
          answerIndex: run.modelAnswers,
          signal: segment.signal,
        },
        ({ failureClass, retryable }) => {
          this.log.modelFailed(run.runId, failureClass, retryable, elapsed(providerAskedAt, clock.now()));
          providerAskedAt = clock.now();
        },
      );
    } catch (error) {
      if (segment.signal.aborted) return this.giveUp(segment);
      // Not the provider's failure: its configuration could not be looked up.
      if (error instanceof StoreUnavailable) throw error;
      return this.modelFailed(segment, error, elapsed(providerAskedAt, clock.now()));
    }
    // The step is decided again, on the records as they are now.
    if (asked.outcome === 'changed') return;
    if (asked.outcome === 'blocked') return this.contextBlocked(segment.writer, asked.over);
    const { answer, contextObserved } = asked;
    if (answer.calls.length > MAX_CALLS_PER_TURN) {
      return this.fail(segment.writer, 'not_retryable', 'malformed_answer', 'at_model_call');
    }
    this.log.modelAnswered(elapsed(providerAskedAt, clock.now()));
    const events = recordModelAnswer(run, {
      ...answer,
      durationMs: elapsed(startedAt, clock.now()),
      contextObserved,
      offered: offered.map(({ declaration, approvalBound }) => ({
        name: declaration.name,
        approvalBound,
        inputSchema: declaration.inputSchema ?? null,
      })),
      isRegistered: (name) => this.live.isRegistered(name),
      closing,
      nonce: entropy.token(16),
    });
    const pauses = events.some((event) => event.type === 'RunSuspendedForInput');
    await this.appendOrFail(
      segment,
      events,
      pauses ? ['suspend_failed', 'at_pause'] : ['provider_failed', 'at_model_call'],
    );
  }

  /** Nobody is there to hand the run back to: an operator mends the records, and the run is started anew (SRC-6). */
  private async contextBlocked(writer: SegmentWriter, { source, dataClass, zone }: ContextRefusal): Promise<void> {
    const blocking = { sourceId: source, dataClass, zone };
    const failed = { reason: 'context_blocked', errorClass: 'none', detail: 'at_model_call', ...blocking } as const;
    await writer.append([{ type: 'RunFailed', data: failed }]);
  }

  /** Retryable failures requeue the run with a growing delay, others end it; three without progress end it too (CLM-5). */
  private async modelFailed(segment: Segment, error: unknown, durationMs: number): Promise<void> {
    if (!(error instanceof ModelCallFailed)) {
      this.log.unexpected(segment.writer.running().runId, 'model_call', error);
      return this.fail(segment.writer, 'provider_failed', 'internal', 'at_model_call');
    }
    const run = segment.writer.running();
    this.log.modelFailed(run.runId, error.failureClass, error.retryable, durationMs);
    if (!error.retryable) {
      const reason = error.failureClass === 'misconfigured' ? 'provider_failed' : 'not_retryable';
      return this.fail(segment.writer, reason, error.failureClass, 'at_model_call');
    }
    // A call that was not made is no attempt.
    const attempt = error.failureClass === 'circuit_open' ? run.attempts : run.attempts + 1;
    if (attempt > MOST_ATTEMPTS) {
      return this.fail(segment.writer, 'retries_exhausted', error.failureClass, 'at_model_call');
    }
    const { clock, entropy } = this.streams;
    const notBefore = timestamp(
      retryAt(clock.now(), Math.max(attempt, 1), error.retryAfterMs ?? 0, entropy.fraction()),
    );
    await segment.writer.append([{ type: 'RunRequeued', data: { reason: error.failureClass, attempt, notBefore } }]);
    this.log.requeued(run.runId, error.failureClass);
  }

  private async suspendForApproval(
    segment: Segment,
    bound: readonly { readonly callId: string; readonly toolName: string }[],
    surroundings: RunSurroundings,
  ): Promise<void> {
    const run = segment.writer.running();
    const previews = await Promise.all(
      bound.map(async ({ callId, toolName }) => ({
        callId,
        lines: await previewTool(
          surroundings.find(toolName),
          segment.transcript.call(callId).arguments,
          this.callContext(segment, callId),
        ),
      })),
    );
    const nonce = this.streams.entropy.token(16);
    const requests = bound.map(({ callId, toolName }) => ({
      callId,
      toolName,
      effect: surroundings.find(toolName)?.declaration.effect ?? ('non_idempotent_write' as const),
    }));
    const digest = turnDigest({
      kind: 'approval',
      nonce,
      calls: (run.turn?.calls ?? []).map(({ callId }) => segment.transcript.call(callId)),
      requests: bound,
    });
    const suspended: NewRunEvent = {
      type: 'RunSuspendedForApproval',
      data: { turnDigest: digest, requests },
      content: { nonce, previews },
    };
    await this.appendOrFail(segment, [suspended], ['suspend_failed', 'at_pause']);
  }

  private async execute(
    segment: Segment,
    step: Extract<Step, { kind: 'execute' }>,
    surroundings: RunSurroundings,
  ): Promise<void> {
    const tool = surroundings.admitted(step.toolName);
    if (tool === null) return this.record(segment, step, refused('no_longer_permitted'), 0);
    const mismatch = this.guardOfTurn(segment, tool, step.withInput);
    if (mismatch !== null) return this.record(segment, step, refused(mismatch), 0);
    const args = argumentsOf(segment, step);
    if (args === null) return this.record(segment, step, refused('malformed_arguments'), 0);
    const checked = validateArguments(tool.declaration.parameters, args);
    if (!checked.valid) return this.record(segment, step, invalidArguments(checked.faults), 0);
    if (!(await this.announce(segment, step, tool, args))) return;
    const startedAt = this.streams.clock.now();
    const outcome = await executeTool(tool, args, this.callContext(segment, step.callId));
    // A call that failed because it was told to stop has no result yet: whoever comes next does it again, or finds out.
    if (outcome.outcome === 'error' && segment.signal.aborted) return this.giveUp(segment);
    if (outcome.failure !== undefined) {
      this.log.toolFailed(segment.writer.running().runId, step.callId, step.toolName, outcome.failure);
    }
    const durationMs = elapsed(startedAt, this.streams.clock.now());
    this.log.toolCalled(step.toolName, outcome.outcome, durationMs);
    await this.record(segment, step, outcome, durationMs);
  }

  /** Whatever path the run came by, a tool that needs a person's input or yes does not run without it (INP-8). */
  private guardOfTurn(segment: Segment, tool: LiveTool, withInput: boolean): CallRefusal | null {
    const answer = segment.writer.running().turn?.answer;
    if (tool.declaration.inputSchema !== undefined && !withInput) return 'input_not_provided';
    const approved = answer?.kind === 'approval' && answer.approved;
    return tool.approvalBound && !approved ? 'not_approved' : null;
  }

  /** A write is in the log before it is in the world (CLM-4). @returns false where it cannot be announced. */
  private async announce(
    segment: Segment,
    step: Extract<Step, { kind: 'execute' }>,
    tool: LiveTool,
    args: JsonObject,
  ): Promise<boolean> {
    const { effect } = tool.declaration;
    const call = segment.writer.running().turn?.calls.find(({ callId }) => callId === step.callId);
    if (effect === 'read_only' || call?.progress === 'started') return true;
    try {
      await segment.writer.append([
        {
          type: 'ToolCallStarted',
          data: { callId: step.callId, toolName: step.toolName, effect },
          content: { arguments: args },
        },
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      await this.record(segment, step, refused('invalid_arguments'), 0);
      return false;
    }
  }

  private async record(
    segment: Segment,
    call: { readonly callId: string; readonly toolName: string | null },
    { outcome, refusal, content }: ToolOutcome,
    durationMs: number,
  ): Promise<void> {
    await this.append(segment, [
      {
        type: 'ToolCallCompleted',
        data: { callId: call.callId, toolName: call.toolName, outcome, refusal, durationMs },
        content: { content },
      },
    ]);
  }

  /** Appends, and takes what the model will read into the transcript. */
  private async append({ writer, transcript }: Segment, events: readonly NewRunEvent[]): Promise<void> {
    for (const event of await writer.append(events)) {
      if (isOfTranscript(event)) transcript.record(event);
    }
  }

  /** What can never be stored ends the run with a reason, rather than come back for ever (INP-10). */
  private async appendOrFail(
    segment: Segment,
    events: readonly NewRunEvent[],
    [reason, detail]: [FailReason, FailDetail],
  ): Promise<void> {
    try {
      await this.append(segment, events);
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      this.log.unexpected(segment.writer.running().runId, `${detail}: ${error.refusal}`, error);
      await this.fail(segment.writer, reason, 'event_too_large', detail);
    }
  }

  private async fail(
    writer: SegmentWriter,
    reason: FailReason,
    errorClass: ErrorClass,
    detail: FailDetail,
  ): Promise<void> {
    await writer.append([{ type: 'RunFailed', data: { reason, errorClass, detail } }]);
  }

  /** Whoever comes next takes the run at once, and it costs the run nothing. */
  private async handBack(writer: SegmentWriter): Promise<void> {
    const { attempts } = writer.running();
    const notBefore = timestamp(this.streams.clock.now());
    await writer.append([{ type: 'RunRequeued', data: { reason: 'worker_stopped', attempt: attempts, notBefore } }]);
  }

  /** The step under way was given up; nothing of it is recorded. */
  private async giveUp(segment: Segment): Promise<void> {
    if (!segment.stopping.aborted) throw new SegmentLost();
    await this.handBack(segment.writer);
  }

  private async endBadly(writer: SegmentWriter, error: unknown): Promise<SegmentEnd> {
    if (error instanceof SegmentLost) return 'lost';
    try {
      if (error instanceof TranscriptUnreadable) {
        await this.fail(writer, 'corrupt_state', error.errorClass, 'at_claim');
      } else if (error instanceof StoreUnavailable) {
        // A record could not be looked up. The run is handed back as soon as the store takes it, at no cost to the run.
        await this.handBack(writer);
      } else {
        throw error;
      }
      return writer.current().status;
    } catch (failure) {
      if (failure instanceof SegmentLost) return 'lost';
      throw failure;
    }
  }

  private callContext(segment: Segment, callId: string) {
    const { runId, ownerId } = segment.writer.running();
    return { runId, callId, ownerId, idempotencyKey: `${runId}/${callId}`, signal: segment.signal };
  }
}

function offeredToModel({ declaration: { name, description, parameters } }: LiveTool): OfferedTool {
  return { name, description, parameters };
}

function elapsed(fromMs: number, toMs: number): number {
  // A clock that was set back must not make an event that its own schema refuses.
  return Math.max(0, Math.round(toMs - fromMs));
}

function refused(refusal: CallRefusal): ToolOutcome {
  return { outcome: 'refused', refusal, content: REFUSAL_SENTENCES[refusal] };
}

/** Names the places that do not fit, so that the model can mend its call; its own words are not repeated. */
function invalidArguments(faults: readonly { readonly pointer: string; readonly message: string }[]): ToolOutcome {
  const places = faults
    .slice(0, 20)
    .map(({ pointer, message }) => `${pointer === '' ? '(root)' : pointer}: ${message}`);
  return {
    outcome: 'error',
    refusal: 'invalid_arguments',
    content: [REFUSAL_SENTENCES.invalid_arguments, ...places].join('\n').toWellFormed(),
  };
}

/** The model's arguments, with the person's values laid over them where the call asked for some (INP-6). */
function argumentsOf(segment: Segment, step: Extract<Step, { kind: 'execute' }>): JsonObject | null {
  const fromModel = segment.transcript.call(step.callId).arguments;
  if (typeof fromModel === 'string') return null;
  if (!step.withInput) return fromModel;
  const pause = segment.writer.running().turn?.pause;
  const request = pause?.kind === 'input' ? pause.requests.find(({ callId }) => callId === step.callId) : undefined;
  const answer = segment.transcript.answer(step.callId);
  if (request === undefined || answer === undefined) {
    throw new TranscriptUnreadable('unreadable_content');
  }
  return overlay(fromModel, request.inputSchema, answer).arguments;
}

function isOfTranscript(
  event: RunEvent,
): event is Extract<RunEvent, { type: 'RunStarted' | 'ModelResponded' | 'ToolCallCompleted' | 'CallResolved' }> {
  return event.type === 'ModelResponded' || event.type === 'ToolCallCompleted';
}
