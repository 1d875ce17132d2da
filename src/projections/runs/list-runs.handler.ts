import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ListRuns } from './list-runs.query.js';
import { limitOf, pageOf, positionOf } from './page.js';
import { type RunFilter, selectionFor } from './run-selection.js';
import { runView } from './run-views.js';
import { RunsTable } from './runs-table.js';

@QueryHandler(ListRuns)
export class ListRunsHandler implements IQueryHandler<ListRuns> {
  constructor(private readonly table: RunsTable) {}

  async execute({ principal, request }: ListRuns) {
    const limit = limitOf(request);
    const before = positionOf('runs', request);
    const rows = this.table.list(selectionFor(principal, filterOf(request)), before, limit + 1);
    return pageOf('runs', rows, limit, (row) => row.started, runView);
  }
}

/** Members that are there and undefined are not asked for. */
function filterOf({ status, ownerId, configurationId }: RunFilter): RunFilter {
  return {
    ...(status === undefined ? {} : { status }),
    ...(ownerId === undefined ? {} : { ownerId }),
    ...(configurationId === undefined ? {} : { configurationId }),
  };
}
