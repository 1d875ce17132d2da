import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { Clock } from '../../event-store/clock.js';
import { AwaitRun } from './await-run.query.js';
import { OutcomeReader } from './outcome-reader.js';
import { RunChanges } from './run-changes.js';
import { RunFinder } from './run-finder.js';
import { isWaitingRow, type RunRow } from './run-row.js';
import { RunsFeed } from './runs-feed.js';
import { RunsTable } from './runs-table.js';

@QueryHandler(AwaitRun)
export class AwaitRunHandler implements IQueryHandler<AwaitRun> {
  constructor(
    private readonly runs: RunFinder,
    private readonly table: RunsTable,
    private readonly feed: RunsFeed,
    private readonly changes: RunChanges,
    private readonly outcomes: OutcomeReader,
    private readonly clock: Clock,
  ) {}

  async execute({ principal, runId, options }: AwaitRun) {
    const { atLeast, timeoutMs, signal } = options;
    const endsAt = this.clock.now() + timeoutMs;
    // Until the rows know of what the caller wrote, they may show the pause that it answered.
    const reached = atLeast === undefined || (await this.feed.waitFor(atLeast, { timeoutMs, signal }));
    if ((await this.runs.findConcerned(principal, runId, { signal })) === null) return null;
    if (reached) await this.untilItStands(runId, endsAt, timeoutMs, signal);
    const row = this.runs.look(principal, runId);
    return row === null ? null : this.outcomes.whole(row);
  }

  private async untilItStands(
    runId: string,
    endsAt: number,
    longestMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (;;) {
      // Read and registered in one tick, so that no change falls between.
      const row = this.table.find(runId);
      // A clock that is set back meanwhile must not make the wait longer.
      const timeoutMs = Math.min(endsAt - this.clock.now(), longestMs);
      if (row === null || stands(row) || timeoutMs <= 0 || signal?.aborted) return;
      await this.changes.next(runId, { timeoutMs, signal });
    }
  }
}

function stands(row: RunRow): boolean {
  return isWaitingRow(row) || row.settlement !== null;
}
