import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayAttempt } from '../../governance/access.js';
import { Problem } from '../../http/problems/problem.js';
import { ListRuns, PageRequestInvalid } from '../../projections/runs/list-runs.query.js';
import { HistoryPage, historyFilter } from './history-page.js';
import { PagesForSignedIn } from './page.decorators.js';
import { queryOf, Visits } from './visits.js';

/** What became of runs. */
@PagesForSignedIn()
@Controller('inbox/history')
export class HistoryController {
  constructor(
    private readonly visits: Visits,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = this.visits.callerOf(request);
    if (!mayAttempt(caller, 'read')) throw new Problem('forbidden');
    const filter = historyFilter(queryOf(request));
    const { status, cursor } = filter;
    const asked = { ...(status === null ? {} : { status }), ...(cursor === null ? {} : { cursor }) };
    try {
      const page = await this.queries.execute(new ListRuns(caller, asked));
      this.visits.show(reply, <HistoryPage visit={this.visits.of(request)} filter={filter} page={page} />);
    } catch (error) {
      if (error instanceof PageRequestInvalid) throw new Problem('not-found');
      throw error;
    }
  }
}
