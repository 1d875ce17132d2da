import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { auditRequest, ListAuditQuery } from '../../../http/audit/list-audit.form.js';
import { inForm } from '../../../http/body/read-form.js';
import { pageOrProblem } from '../../../http/problems/page-problem.js';
import { Problem } from '../../../http/problems/problem.js';
import { ListAudit } from '../../../projections/audit/list-audit.query.js';
import { queryOf, Visits } from '../../pages/visits.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { cursorOf } from '../list-parts.js';
import { AuditPage, type TypedFilter } from './audit-page.js';

@PagesForAdmins()
@Controller('inbox/admin/audit')
export class AuditPagesController {
  constructor(
    private readonly visits: Visits,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = queryOf(request);
    const typed = (name: keyof TypedFilter) => (query.get(name) ?? '').trim();
    const filter: TypedFilter = { runId: typed('runId'), actorId: typed('actorId'), kind: typed('kind') };
    const cursor = cursorOf(query);
    const page = await this.find({ ...filter, ...cursor });
    const shown = { filter, page, isFirst: cursor.cursor === undefined };
    this.visits.show(reply, <AuditPage visit={this.visits.of(request)} {...shown} />, page === null ? 400 : 200);
  }

  /** Null for a filter that the interface would refuse. */
  private async find(asked: Readonly<Record<string, string>>) {
    try {
      const form = await inForm({ ...asked }, ListAuditQuery);
      return await pageOrProblem(() => this.queries.execute(new ListAudit(auditRequest(form))));
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid-request') return null;
      throw error;
    }
  }
}
