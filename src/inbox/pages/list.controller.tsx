import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayAttempt } from '../../governance/access.js';
import { Problem } from '../../http/problems/problem.js';
import { ListPage } from './list-page.js';
import { PagesForSignedIn } from './page.decorators.js';
import { queryOf, Visits } from './visits.js';
import { searchOf, searchWaiting } from './waiting-search.js';

/** The inbox itself: what waits for whoever looks. */
@PagesForSignedIn()
@Controller('inbox')
export class ListController {
  constructor(
    private readonly visits: Visits,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = this.visits.callerOf(request);
    if (!mayAttempt(caller, 'read')) throw new Problem('forbidden');
    const query = queryOf(request);
    const search = searchOf(query);
    const found = await searchWaiting(this.queries, caller, search);
    const done = query.get('done') === 'answered';
    this.visits.show(reply, <ListPage visit={this.visits.of(request)} search={search} found={found} done={done} />);
  }
}
