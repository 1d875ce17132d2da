import type { EventType, NewEventOf, RecordedEventOf } from './event.js';
import type { JsonObject, JsonValue } from './json.js';

/*
 * Names and shapes in this file are the storage format. A change to a released shape is a new schema version with an
 * upcaster (beside its schema) and a golden history (`test/histories`), never an edit.
 */

export type RunMessage = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
};

/** The closed list of model options that a run may carry. */
export interface RunOptions {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
}

/** Tokens, added up over a whole run (LIF-3). */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type ToolEffect = 'read_only' | 'idempotent_write' | 'non_idempotent_write';

/** What is to happen with a call, fixed when the model answered, by the tools offered then (LIF-5). */
export type CallDisposition = 'run' | 'approval' | 'input' | 'not_offered' | 'malformed';

export type FailReason =
  | 'suspend_failed'
  | 'context_blocked'
  | 'configuration_gone'
  | 'corrupt_state'
  | 'provider_failed'
  | 'retries_exhausted'
  | 'not_retryable'
  | 'uncertain_write';

/** Every reason that a settled run can give (LIF-7). */
export type SettleReason = 'finished' | 'max_iterations' | 'cancelled' | FailReason;

export type ErrorClass =
  | 'none'
  | 'timeout'
  | 'rate_limited'
  | 'server_error'
  | 'connection'
  | 'bad_request'
  | 'unauthorized'
  | 'not_found'
  | 'malformed_answer'
  | 'misconfigured'
  | 'circuit_open'
  | 'worker_lost'
  | 'worker_stopped'
  | 'event_too_large'
  | 'unusable_schema'
  | 'unreadable_content'
  | 'digest_mismatch'
  | 'content_erased'
  | 'internal';

/** Why a call that did not succeed has the result it has. Each has one sentence for the model (`tool-loop`). */
export type CallRefusal =
  | 'not_offered'
  | 'unknown_tool'
  | 'malformed_arguments'
  | 'invalid_arguments'
  | 'input_not_provided'
  | 'not_approved'
  | 'denied'
  | 'no_longer_permitted'
  | 'tool_failed';

/** Why an answered run was handed back to its pause. */
export type ReleaseReason =
  | 'submitter_not_permitted'
  | 'approver_not_permitted'
  | 'self_approval'
  | 'context_blocked'
  | 'configuration_gone';

/** Call ids after `RunStarted` are unique in the run and match `[A-Za-z0-9_-]{1,64}` (LIF-3). */
export type RunStarted = EventType<
  'RunStarted',
  {
    readonly ownerId: string;
    readonly configurationId: string;
    /** Absent list: all that the configuration allows. */
    readonly allowedTools: readonly string[] | null;
    readonly maxIterations: number;
    readonly options: RunOptions;
    readonly forcedSnippetIds: readonly string[];
    readonly forcedSkillIds: readonly string[];
    /** Sources used, by their names (`snippet:<id>`, `skill:<id>`), in the order of the prompt. */
    readonly sourceIds: readonly string[];
    /** Sources that were asked for and not used, by their names, in the order in which they were asked for. */
    readonly skippedSourceIds: readonly string[];
    /** Keyed digest of the request, by which a repeat under the same idempotency key is recognised. */
    readonly requestMac: string | null;
  },
  { readonly messages: readonly RunMessage[] }
>;

export type RunClaimed = EventType<
  'RunClaimed',
  {
    readonly claimId: string;
    readonly workerId: string;
    readonly leaseExpiresAt: string;
    /** Failures and takeovers since the last recorded progress. */
    readonly attempt: number;
  }
>;

export type LeaseExtended = EventType<'LeaseExtended', { readonly claimId: string; readonly leaseExpiresAt: string }>;

export interface RecordedCall {
  readonly callId: string;
  /** Null where the model named no registered tool: what it wrote instead is content. */
  readonly toolName: string | null;
  readonly disposition: CallDisposition;
}

/** A call with what the model wrote. */
export interface CallContent {
  readonly callId: string;
  readonly toolName: string;
  /** Parsed where the text is an I-JSON object, else the text as it came. */
  readonly arguments: JsonObject | string;
}

export type ModelResponded = EventType<
  'ModelResponded',
  {
    /** Model answers since the start or the last answered pause, this one included. */
    readonly iteration: number;
    readonly model: string;
    readonly usage: Usage;
    readonly durationMs: number;
    /** True where the ceiling was exceeded and only observed (SRC-7). */
    readonly contextObserved?: boolean;
    readonly calls: readonly RecordedCall[];
  },
  { readonly text: string; readonly calls: readonly CallContent[] }
>;

export type ToolCallStarted = EventType<
  'ToolCallStarted',
  { readonly callId: string; readonly toolName: string; readonly effect: ToolEffect },
  { readonly arguments: JsonObject }
>;

export type ToolCallCompleted = EventType<
  'ToolCallCompleted',
  {
    readonly callId: string;
    readonly toolName: string | null;
    readonly outcome: 'ok' | 'error' | 'refused';
    readonly refusal: CallRefusal | null;
    readonly durationMs: number;
  },
  { readonly content: string }
>;

export interface ApprovalRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly effect: ToolEffect;
}

export type RunSuspendedForApproval = EventType<
  'RunSuspendedForApproval',
  { readonly turnDigest: string; readonly requests: readonly ApprovalRequest[] },
  {
    readonly nonce: string;
    readonly previews: readonly { readonly callId: string; readonly lines: readonly string[] }[];
  }
>;

export interface InputRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly inputSchema: JsonObject;
}

export type RunSuspendedForInput = EventType<
  'RunSuspendedForInput',
  { readonly turnDigest: string; readonly requests: readonly InputRequest[] },
  { readonly nonce: string }
>;

export type RunSuspendedForResolution = EventType<
  'RunSuspendedForResolution',
  { readonly callId: string; readonly toolName: string }
>;

export type ApprovalDecided = EventType<
  'ApprovalDecided',
  {
    readonly approved: boolean;
    readonly decidedBy: string;
    readonly turnDigest: string;
    readonly answerMac: string;
  },
  { readonly comment: string | null }
>;

export type InputSubmitted = EventType<
  'InputSubmitted',
  { readonly submittedBy: string; readonly turnDigest: string; readonly answerMac: string },
  { readonly answers: JsonObject }
>;

export type CallResolved = EventType<
  'CallResolved',
  {
    readonly callId: string;
    readonly verdict: 'executed' | 'not_executed' | 'fail';
    readonly resolvedBy: string;
  },
  { readonly result: JsonValue; readonly note: string }
>;

/** What the ceiling stopped a run over: a source's name, its class, and the zone that may not receive it (SRC-2). */
export interface BlockingSource {
  readonly sourceId: string;
  readonly dataClass: string;
  readonly zone: string;
}

export type RunReleased = EventType<
  'RunReleased',
  { readonly reason: ReleaseReason; readonly toolName?: string } & Partial<BlockingSource>
>;

export type RunRequeued = EventType<
  'RunRequeued',
  { readonly reason: ErrorClass; readonly attempt: number; readonly notBefore: string }
>;

export type RunCompleted = EventType<
  'RunCompleted',
  { readonly reason: 'finished' | 'max_iterations'; readonly truncated: boolean; readonly usage: Usage },
  { readonly text: string }
>;

export type RunFailed = EventType<
  'RunFailed',
  {
    readonly reason: FailReason;
    readonly errorClass: ErrorClass;
    readonly detail?: FailDetail;
  } & Partial<BlockingSource>
>;

/** Where a failure was found: a place of ours, never words of somebody else's. */
export type FailDetail = 'at_model_call' | 'at_pause' | 'at_claim' | 'at_tool_call' | 'at_resolution';

export type RunCancelled = EventType<'RunCancelled', { readonly cancelledBy: string }>;

export type RunContentErased = EventType<
  'RunContentErased',
  { readonly scope: 'working' | 'outcome'; readonly reason: 'settled' | 'age' | 'request' }
>;

export type RunEventType =
  | RunStarted
  | RunClaimed
  | LeaseExtended
  | ModelResponded
  | ToolCallStarted
  | ToolCallCompleted
  | RunSuspendedForApproval
  | RunSuspendedForInput
  | RunSuspendedForResolution
  | ApprovalDecided
  | InputSubmitted
  | CallResolved
  | RunReleased
  | RunRequeued
  | RunCompleted
  | RunFailed
  | RunCancelled
  | RunContentErased;

/** An event of a run that is to be appended. */
export type NewRunEvent = NewEventOf<RunEventType>;

/** An event of a run as it is stored. */
export type RunEvent = RecordedEventOf<RunEventType>;

export const RUN_STREAM_PREFIX = 'run-';

export function runStream(runId: string): string {
  return RUN_STREAM_PREFIX + runId;
}

export function runIdOf(stream: string): string {
  return stream.slice(RUN_STREAM_PREFIX.length);
}
