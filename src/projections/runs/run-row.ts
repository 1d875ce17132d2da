import type { ReleaseReason, RunEvent, SettleReason, Usage } from '../../events/run-events.js';
import { runIdOf } from '../../events/run-events.js';
import type { RunStatus } from '../../run/run-state.js';

/** What is remembered of a run, clear fields alone: never anything of what was said in it (SEA-5). */
export interface RunRow {
  /** Position of the run's first event: the order in which runs were started. */
  readonly started: bigint;
  readonly runId: string;
  readonly status: RunStatus;
  readonly revision: number;
  readonly ownerId: string;
  readonly configurationId: string;
  readonly iterations: number;
  readonly usage: Usage;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The latest pause, kept when it is answered, because a release restores it. It is on while the run waits. */
  readonly pause: RowPause | null;
  /** Since when, or from when on, a queued run may go on; null for any other. */
  readonly dueAt: string | null;
  readonly settlement: RowSettlement | null;
  readonly erased: { readonly working: boolean; readonly outcome: boolean };
}

export interface RowPause {
  /** Position of the pause event: the order in which runs began to wait. */
  readonly position: bigint;
  readonly kind: 'input' | 'approval' | 'resolution';
  /** Null for a resolution: nothing of that turn is asked. */
  readonly turnDigest: string | null;
  readonly since: string;
  readonly requests: readonly { readonly callId: string; readonly toolName: string }[];
  /** Model answers as they are counted while it waits; an answer begins to count anew (LIF-2). */
  readonly iterations: number;
  readonly released: RowRelease | null;
}

export interface RowRelease {
  readonly at: string;
  readonly reason: ReleaseReason;
  readonly toolName?: string;
  readonly sourceId?: string;
  readonly dataClass?: string;
  readonly zone?: string;
}

export interface RowSettlement {
  readonly reason: SettleReason;
  readonly truncated: boolean;
  /** Where the final text is; null for a run that has none. */
  readonly completedRevision: number | null;
}

const STATUS_OF_PAUSE = {
  input: 'waiting_for_input',
  approval: 'waiting_for_approval',
  resolution: 'waiting_for_resolution',
} as const;

/** A history whose beginning is missing. */
export class RunWithoutStart extends Error {
  override readonly name = 'RunWithoutStart';
}

/** The row after an event. @throws {RunWithoutStart} */
export function evolveRow(row: RunRow | null, event: RunEvent): RunRow {
  if (event.type === 'RunStarted') return startedRow(event);
  if (row === null) throw new RunWithoutStart(`${event.type} of ${event.stream} without a start`);
  // Erasing the content of a settled run is no news of the run.
  const updatedAt = row.settlement === null ? event.at : row.updatedAt;
  const changed = { ...row, ...changeBy(row, event), revision: event.revision, updatedAt };
  return { ...changed, dueAt: changed.status === 'queued' ? dueAfter(event) : null };
}

export function isWaitingRow(row: RunRow): boolean {
  return row.pause !== null && row.status === STATUS_OF_PAUSE[row.pause.kind];
}

/** Of an event that left its run queued. */
function dueAfter(event: RunEvent): string {
  return event.type === 'RunRequeued' ? event.data.notBefore : event.at;
}

function startedRow(event: Extract<RunEvent, { type: 'RunStarted' }>): RunRow {
  return {
    started: event.position,
    runId: runIdOf(event.stream),
    status: 'queued',
    revision: event.revision,
    ownerId: event.data.ownerId,
    configurationId: event.data.configurationId,
    iterations: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    createdAt: event.at,
    updatedAt: event.at,
    pause: null,
    dueAt: event.at,
    settlement: null,
    erased: { working: false, outcome: false },
  };
}

function changeBy(row: RunRow, event: Exclude<RunEvent, { type: 'RunStarted' }>): Partial<RunRow> {
  switch (event.type) {
    case 'RunClaimed':
      return { status: 'running' };
    case 'LeaseExtended':
    case 'ToolCallStarted':
    case 'ToolCallCompleted':
      return {};
    case 'ModelResponded':
      return { iterations: event.data.iteration, usage: sum(row.usage, event.data.usage) };
    case 'RunSuspendedForInput':
      return paused(row, event, 'input', event.data);
    case 'RunSuspendedForApproval':
      return paused(row, event, 'approval', event.data);
    case 'RunSuspendedForResolution':
      return paused(row, event, 'resolution', { turnDigest: null, requests: [event.data] });
    case 'InputSubmitted':
    case 'ApprovalDecided':
      return { status: 'queued', iterations: 0, pause: row.pause && { ...row.pause, released: null } };
    case 'CallResolved':
    case 'RunRequeued':
      return { status: 'queued' };
    case 'RunReleased':
      return released(row, { at: event.at, ...event.data });
    case 'RunCompleted':
      return settled('completed', { ...event.data, completedRevision: event.revision });
    case 'RunFailed':
      return settled('failed', { reason: event.data.reason, truncated: false, completedRevision: null });
    case 'RunCancelled':
      return settled('cancelled', { reason: 'cancelled', truncated: false, completedRevision: null });
    case 'RunContentErased':
      return { erased: { ...row.erased, [event.data.scope]: true } };
  }
}

function sum(a: Usage, b: Usage): Usage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}

function paused(
  row: RunRow,
  event: RunEvent,
  kind: RowPause['kind'],
  { turnDigest, requests }: Pick<RowPause, 'turnDigest' | 'requests'>,
): Partial<RunRow> {
  const pause: RowPause = {
    position: event.position,
    kind,
    turnDigest,
    since: event.at,
    requests: requests.map(({ callId, toolName }) => ({ callId, toolName })),
    iterations: row.iterations,
    released: null,
  };
  return { status: STATUS_OF_PAUSE[kind], pause };
}

/** Back to the pause, with its place in the order of waiting (TRN-5). */
function released(row: RunRow, release: RowRelease): Partial<RunRow> {
  if (row.pause === null) throw new RunWithoutStart(`a release of ${row.runId} without a pause`);
  const pause = { ...row.pause, released: release };
  return { status: STATUS_OF_PAUSE[pause.kind], pause, iterations: pause.iterations };
}

function settled(
  status: 'completed' | 'failed' | 'cancelled',
  { reason, truncated, completedRevision }: RowSettlement,
): Partial<RunRow> {
  return { status, settlement: { reason, truncated, completedRevision } };
}
