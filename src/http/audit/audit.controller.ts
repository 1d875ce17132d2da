import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListAudit } from '../../projections/audit/list-audit.query.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { CallProblems } from '../documentation/problem-responses.js';
import { pageOrProblem } from '../problems/page-problem.js';
import { AuditBody } from './audit.body.js';
import { auditRequest, ListAuditQuery } from './list-audit.form.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/audit`)
export class AuditController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'List who did, or tried to do, what, newest first' })
  @ApiOkResponse({ type: AuditBody })
  @CallProblems('invalid-request')
  async list(@Query() query: ListAuditQuery): Promise<object> {
    return pageOrProblem(() => this.queries.execute(new ListAudit(auditRequest(query))));
  }
}
