import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { RunChanges } from './run-changes.js';
import { isWaitingRow } from './run-row.js';
import { RunsTable } from './runs-table.js';
import { type RunChange, WatchRuns } from './watch-runs.query.js';

@QueryHandler(WatchRuns)
export class WatchRunsHandler implements IQueryHandler<WatchRuns> {
  constructor(
    private readonly changes: RunChanges,
    private readonly table: RunsTable,
  ) {}

  async execute({ signal }: WatchRuns): Promise<AsyncIterable<readonly RunChange[]>> {
    return this.follow(signal);
  }

  private async *follow(signal: AbortSignal): AsyncGenerator<readonly RunChange[]> {
    let changed = new Set<string>();
    let wake = () => {};
    const stop = this.changes.listen((runIds) => {
      for (const runId of runIds) changed.add(runId);
      wake();
    });
    const end = () => wake();
    signal.addEventListener('abort', end);
    try {
      while (!signal.aborted) {
        if (changed.size === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            // Between the last look and this registration something may have come.
            if (changed.size > 0 || signal.aborted) resolve();
          });
          continue;
        }
        const batch = changed;
        changed = new Set();
        yield [...batch].flatMap((runId) => this.change(runId));
      }
    } finally {
      stop();
      signal.removeEventListener('abort', end);
    }
  }

  private change(runId: string): RunChange[] {
    const row = this.table.find(runId);
    if (row === null) return [];
    const { ownerId, revision, pause } = row;
    return [{ runId, ownerId, revision, waiting: isWaitingRow(row), hasPaused: pause !== null }];
  }
}
