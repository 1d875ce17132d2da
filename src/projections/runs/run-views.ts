import type { RunStatus } from '../../run/run-state.js';
import { isWaitingRow, type RowPause, type RowRelease, type RowSettlement, type RunRow } from './run-row.js';

/** A run as its readers see it: status, never transcript (SEA-5). */
export interface RunView {
  readonly id: string;
  readonly status: RunStatus;
  /** Of the run's last event that is known here. */
  readonly revision: number;
  readonly ownerId: string;
  readonly configurationId: string;
  readonly iterations: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Present while the run waits. */
  readonly pause?: PauseSummary;
  /** Present while the run is queued; not in lists. */
  readonly queue?: QueueView;
  /** Present once the run is settled. */
  readonly outcome?: OutcomeView;
  /** Present once content of the run was erased (SEA-3). */
  readonly erased?: { readonly working: boolean; readonly outcome: boolean };
}

export interface PauseSummary {
  readonly kind: RowPause['kind'];
  /** Null for a resolution. */
  readonly turnDigest: string | null;
  readonly since: string;
  readonly requests: readonly { readonly callId: string; readonly toolName: string }[];
  /** Present when an answer to this pause was handed back: why. */
  readonly released?: RowRelease;
}

/** A place in the line for a worker. */
export interface QueueView {
  /** How many runs may come before it, as things are: no more than these do. Counted up to {@link MOST_AHEAD}. */
  readonly ahead: number;
  /** Present where the run is to be left alone until then: it is tried again after a failure. */
  readonly notBefore?: string;
}

/** This many stands for as many or more. */
export const MOST_AHEAD = 1_000;

export interface OutcomeView {
  readonly reason: RowSettlement['reason'];
  readonly truncated: boolean;
  /** The final answer; not in lists. */
  readonly content?: string;
  /** Its key was destroyed. */
  readonly contentErased?: true;
}

/** A line of the inbox. */
export interface InboxItem {
  readonly runId: string;
  readonly kind: RowPause['kind'];
  /** Each once, in the model's order. */
  readonly toolNames: readonly string[];
  readonly ownerId: string;
  readonly configurationId: string;
  readonly since: string;
  /** Null for a resolution. */
  readonly turnDigest: string | null;
}

/** Without the final answer: it is opened for one run at a time. */
export function runView(row: RunRow): RunView {
  const { runId, status, revision, ownerId, configurationId, iterations, usage, createdAt, updatedAt } = row;
  const { pause, settlement, erased } = row;
  return {
    id: runId,
    status,
    revision,
    ownerId,
    configurationId,
    iterations,
    usage,
    createdAt,
    updatedAt,
    ...(pause !== null && isWaitingRow(row) ? { pause: pauseSummary(pause) } : {}),
    ...(settlement === null ? {} : { outcome: { reason: settlement.reason, truncated: settlement.truncated } }),
    ...(erased.working || erased.outcome ? { erased } : {}),
  };
}

function pauseSummary({ kind, turnDigest, since, requests, released }: RowPause): PauseSummary {
  return { kind, turnDigest, since, requests, ...(released === null ? {} : { released }) };
}

/** Null for a run that does not wait. */
export function inboxItem(row: RunRow): InboxItem | null {
  const { pause } = row;
  if (pause === null || !isWaitingRow(row)) return null;
  return {
    runId: row.runId,
    kind: pause.kind,
    toolNames: [...new Set(pause.requests.map((request) => request.toolName))],
    ownerId: row.ownerId,
    configurationId: row.configurationId,
    since: pause.since,
    turnDigest: pause.turnDigest,
  };
}
