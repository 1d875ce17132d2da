import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { GetRun } from './get-run.query.js';
import { OutcomeReader } from './outcome-reader.js';
import { RunFinder } from './run-finder.js';

@QueryHandler(GetRun)
export class GetRunHandler implements IQueryHandler<GetRun> {
  constructor(
    private readonly runs: RunFinder,
    private readonly outcomes: OutcomeReader,
  ) {}

  async execute({ principal, runId, options }: GetRun) {
    const row = await this.runs.find(principal, runId, options);
    return row === null ? null : this.outcomes.whole(row);
  }
}
