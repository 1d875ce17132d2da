import type { EventStore } from '../../event-store/event-store.js';
import { reaches } from '../../governance/access.js';
import type { Principal } from '../../governance/principal.js';
import type { WaitLimits } from '../../subscriptions/position-waiters.js';
import { isWaitingRow, type RunRow } from './run-row.js';
import type { RunsTable } from './runs-table.js';

/** How far the rows are, and waiting for them to get further. */
export interface RowsProgress {
  waitFor(position: bigint, limits: WaitLimits): Promise<boolean>;
}

export interface FindOptions {
  /** Position in the log that the rows must have got to: what the asking command wrote. */
  readonly atLeast?: bigint;
  readonly signal?: AbortSignal | undefined;
}

/** How long a reader waits for the rows to get where they must be, in milliseconds; then they are taken as they are. */
const CATCH_UP_MS = 2_000;

/** How long it may take until a run is said not to exist, in milliseconds. */
const NOT_FOUND_MS = 250;

/** Finds the row of a run for those who may read it. */
export class RunFinder {
  constructor(
    private readonly table: RunsTable,
    private readonly progress: RowsProgress,
    private readonly store: Pick<EventStore, 'head'>,
  ) {}

  /**
   * The row of a run that the principal may read; null where there is none or they may not, and nobody can tell which.
   * Before it says so the rows get to where the log is: a run that was started a moment ago is there.
   *
   * @throws {StoreUnavailable}
   */
  find(principal: Principal, runId: string, options: FindOptions = {}): Promise<RunRow | null> {
    return this.findIf(runId, (row) => may(principal, 'read', row), options);
  }

  /** The same for a run that the principal may read or answer: whoever answers a run can lose sight of it by that. */
  findConcerned(principal: Principal, runId: string, options: FindOptions = {}): Promise<RunRow | null> {
    const isConcerned = (row: RunRow) => may(principal, 'read', row) || may(principal, 'answer', row);
    return this.findIf(runId, isConcerned, options);
  }

  /** What {@link find} comes to at this moment, without waiting for anything. */
  look(principal: Principal, runId: string): RunRow | null {
    const row = this.table.find(runId);
    return row !== null && may(principal, 'read', row) ? row : null;
  }

  private async findIf(runId: string, mayFind: (row: RunRow) => boolean, options: FindOptions): Promise<RunRow | null> {
    const { atLeast, signal } = options;
    if (atLeast !== undefined) await this.progress.waitFor(atLeast, { timeoutMs: CATCH_UP_MS, signal });
    const row = this.table.find(runId);
    if (row !== null && mayFind(row)) return row;
    // The same way for an unknown run, one of somebody else's and one that is not here yet, and the same work (SUB-1).
    await this.progress.waitFor(await this.store.head(), { timeoutMs: NOT_FOUND_MS, signal });
    const later = this.table.find(runId);
    return later !== null && mayFind(later) ? later : null;
  }
}

function may(principal: Principal, action: 'read' | 'answer', row: RunRow): boolean {
  return reaches(principal, action, { ownerId: row.ownerId, waiting: isWaitingRow(row) });
}
