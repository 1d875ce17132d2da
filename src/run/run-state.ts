import type {
  ApprovalRequest,
  CallDisposition,
  InputRequest,
  ReleaseReason,
  RunEvent,
  RunOptions,
  SettleReason,
  ToolEffect,
  Usage,
} from '../events/run-events.js';

/*
 * A run as decisions see it: a union by status, so that what a status does not have cannot be asked for. Built from
 * clear fields alone; events whose content is needed later are kept as they came, sealed.
 */

/** An event of one type, kept for its sealed content. */
export type EventOfType<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

/** An event that adds to what the model sees. */
export type TranscriptEvent = EventOfType<'RunStarted' | 'ModelResponded' | 'ToolCallCompleted' | 'CallResolved'>;

export interface TurnCall {
  readonly callId: string;
  /** Null where the model named no registered tool. */
  readonly toolName: string | null;
  readonly disposition: CallDisposition;
  readonly progress: 'pending' | 'started' | 'done';
  /** Set while a write is announced and unfinished. */
  readonly effect: ToolEffect | null;
}

/** The latest model answer and what became of its calls. */
export interface Turn {
  readonly responded: EventOfType<'ModelResponded'>;
  readonly calls: readonly TurnCall[];
  readonly pause: Pause | null;
  /** The accepted answer to the pause; null before it, and again after a release. */
  readonly answer: Answer | null;
}

export interface InputPause {
  readonly kind: 'input';
  readonly turnDigest: string;
  readonly since: string;
  readonly requests: readonly InputRequest[];
  readonly suspended: EventOfType<'RunSuspendedForInput'>;
  readonly released: Release | null;
}

export interface ApprovalPause {
  readonly kind: 'approval';
  readonly turnDigest: string;
  readonly since: string;
  readonly requests: readonly ApprovalRequest[];
  readonly suspended: EventOfType<'RunSuspendedForApproval'>;
  readonly released: Release | null;
}

export type Pause = InputPause | ApprovalPause;

/** The last time an answer to this pause was handed back. */
export interface Release {
  readonly at: string;
  readonly reason: ReleaseReason;
  readonly toolName?: string;
  readonly sourceId?: string;
  readonly dataClass?: string;
  readonly zone?: string;
}

export type Answer =
  | { readonly kind: 'input'; readonly by: string; readonly submitted: EventOfType<'InputSubmitted'> }
  | {
      readonly kind: 'approval';
      readonly by: string;
      readonly approved: boolean;
      readonly decided: EventOfType<'ApprovalDecided'>;
    };

/** What is remembered of every answered turn, for as long as the run is: replays are recognised by it (TRN-5). */
export interface AnsweredTurn {
  readonly kind: 'input' | 'approval';
  readonly by: string;
  readonly at: string;
  readonly mac: string;
  readonly callIds: readonly string[];
}

export interface Claim {
  readonly claimId: string;
  readonly workerId: string;
  readonly leaseExpiresAt: string;
}

export interface Settlement {
  readonly reason: SettleReason;
  readonly truncated: boolean;
  readonly at: string;
  /** Holds the final text of a completed run. */
  readonly completed: EventOfType<'RunCompleted'> | null;
}

/** What every run has from its start on. */
export interface RunProgress {
  readonly runId: string;
  readonly ownerId: string;
  readonly configurationId: string;
  readonly allowedTools: readonly string[] | null;
  readonly maxIterations: number;
  readonly options: RunOptions;
  readonly forcedSnippetIds: readonly string[];
  readonly forcedSkillIds: readonly string[];
  readonly sourceIds: readonly string[];
  readonly requestMac: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly transcript: readonly TranscriptEvent[];
  /** Null until the model has answered for the first time. */
  readonly turn: Turn | null;
  /** Model answers since the start or the last answered pause (LIF-2). */
  readonly iterations: number;
  /** Model answers altogether. */
  readonly modelAnswers: number;
  readonly usage: Usage;
  /** Requeues and takeovers since the last recorded progress (CLM-5). */
  readonly attempts: number;
  readonly answered: ReadonlyMap<string, AnsweredTurn>;
  readonly callIds: ReadonlySet<string>;
  readonly erased: { readonly working: boolean; readonly outcome: boolean };
}

export type NotStarted = { readonly status: 'not_started' };
export type QueuedRun = RunProgress & { readonly status: 'queued'; readonly notBefore: string | null };
export type RunningRun = RunProgress & { readonly status: 'running'; readonly claim: Claim };
export type InputWaitingRun = RunProgress & { readonly status: 'waiting_for_input'; readonly pause: InputPause };
export type ApprovalWaitingRun = RunProgress & {
  readonly status: 'waiting_for_approval';
  readonly pause: ApprovalPause;
};
export type ResolutionWaitingRun = RunProgress & {
  readonly status: 'waiting_for_resolution';
  readonly callId: string;
  readonly toolName: string;
  readonly since: string;
};
export type SettledRun = RunProgress & {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly settlement: Settlement;
};

export type StartedRun =
  | QueuedRun
  | RunningRun
  | InputWaitingRun
  | ApprovalWaitingRun
  | ResolutionWaitingRun
  | SettledRun;

export type RunState = NotStarted | StartedRun;
export type RunStatus = StartedRun['status'];

export function isSettled(state: RunState): state is SettledRun {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled';
}

export function isWaiting(state: RunState): state is InputWaitingRun | ApprovalWaitingRun | ResolutionWaitingRun {
  return (
    state.status === 'waiting_for_input' ||
    state.status === 'waiting_for_approval' ||
    state.status === 'waiting_for_resolution'
  );
}

/** True once a call of the turn has begun: from here nothing is released (SUB-10). */
export function hasStarted(turn: Turn): boolean {
  return turn.calls.some((call) => call.progress !== 'pending');
}

/** The announced write that nobody saw finish and that must not be executed again (CLM-4). */
export function uncertainWrite(run: RunProgress): TurnCall | null {
  return run.turn?.calls.find((call) => call.progress === 'started' && call.effect === 'non_idempotent_write') ?? null;
}
