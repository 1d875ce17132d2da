import type { Clock } from '../event-store/clock.js';
import { AppendRefused } from '../event-store/errors.js';
import type { JsonObject } from '../events/json.js';
import type { CallRefusal } from '../events/run-events.js';
import type { LiveTool } from '../governance/live-tools.js';
import { validateArguments } from '../run/input-schema.js';
import type { Step } from '../run/next-step.js';
import { overlay } from '../run/overlay.js';
import { REFUSAL_SENTENCES } from '../run/turn-plan.js';
import { elapsed } from './elapsed.js';
import type { RunSurroundings } from './live-records.js';
import type { Segment } from './segment.js';
import type { SegmentLog } from './segment-log.js';
import { executeTool, type ToolOutcome } from './tool-call.js';
import { TranscriptUnreadable } from './transcript.js';

type ExecuteStep = Extract<Step, { readonly kind: 'execute' }>;
type RefuseStep = Extract<Step, { readonly kind: 'refuse' }>;

/** The step that gives one call its one result: by executing it, or by saying why it is not executed. */
export class CallStep {
  constructor(
    private readonly clock: Clock,
    private readonly log: SegmentLog,
  ) {}

  refuse(segment: Segment, step: RefuseStep): Promise<void> {
    return this.record(segment, step, refused(step.refusal), 0);
  }

  async execute(segment: Segment, step: ExecuteStep, surroundings: RunSurroundings): Promise<void> {
    const tool = surroundings.admitted(step.toolName);
    if (tool === null) return this.record(segment, step, refused('no_longer_permitted'), 0);
    const mismatch = this.guardOfTurn(segment, tool, step.withInput);
    if (mismatch !== null) return this.record(segment, step, refused(mismatch), 0);
    const args = argumentsOf(segment, step);
    if (args === null) return this.record(segment, step, refused('malformed_arguments'), 0);
    const checked = validateArguments(tool.declaration.parameters, args);
    if (!checked.valid) return this.record(segment, step, invalidArguments(checked.faults), 0);
    if (!(await this.announce(segment, step, tool, args))) return;
    const startedAt = this.clock.now();
    const outcome = await executeTool(tool, args, segment.callContext(step.callId));
    // A call that failed because it was told to stop has no result yet: whoever comes next does it again, or finds out.
    if (outcome.outcome === 'error' && segment.signal.aborted) return segment.giveUp();
    if (outcome.failure !== undefined) {
      this.log.toolFailed(segment.run().runId, step.callId, step.toolName, outcome.failure);
    }
    const durationMs = elapsed(startedAt, this.clock.now());
    this.log.toolCalled(step.toolName, outcome.outcome, durationMs);
    await this.record(segment, step, outcome, durationMs);
  }

  /** Whatever path the run came by, a tool that needs a person's input or yes does not run without it (INP-8). */
  private guardOfTurn(segment: Segment, tool: LiveTool, withInput: boolean): CallRefusal | null {
    const answer = segment.run().turn?.answer;
    if (tool.declaration.inputSchema !== undefined && !withInput) return 'input_not_provided';
    const approved = answer?.kind === 'approval' && answer.approved;
    return tool.approvalBound && !approved ? 'not_approved' : null;
  }

  /** A write is in the log before it is in the world (CLM-4). @returns false where it cannot be announced. */
  private async announce(segment: Segment, step: ExecuteStep, tool: LiveTool, args: JsonObject): Promise<boolean> {
    const { effect } = tool.declaration;
    const call = segment.run().turn?.calls.find(({ callId }) => callId === step.callId);
    if (effect === 'read_only' || call?.progress === 'started') return true;
    try {
      await segment.append([
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
    await segment.append([
      {
        type: 'ToolCallCompleted',
        data: { callId: call.callId, toolName: call.toolName, outcome, refusal, durationMs },
        content: { content },
      },
    ]);
  }
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
function argumentsOf(segment: Segment, step: ExecuteStep): JsonObject | null {
  const fromModel = segment.transcript.call(step.callId).arguments;
  if (typeof fromModel === 'string') return null;
  if (!step.withInput) return fromModel;
  const pause = segment.run().turn?.pause;
  const request = pause?.kind === 'input' ? pause.requests.find(({ callId }) => callId === step.callId) : undefined;
  const answer = segment.transcript.answer(step.callId);
  if (request === undefined || answer === undefined) {
    throw new TranscriptUnreadable('unreadable_content');
  }
  return overlay(fromModel, request.inputSchema, answer).arguments;
}
