import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRecordId } from '../../../governance/records.js';
import { ToolCatalogue } from '../../../governance/tool-catalogue.js';
import { Problem } from '../../../http/problems/problem.js';
import { queryOf, Visits } from '../../pages/visits.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { doneOf } from '../section.js';
import { ToolsPage } from './tools-page.js';

@PagesForAdmins()
@Controller('inbox/admin/tools')
export class ToolPagesController {
  constructor(
    private readonly visits: Visits,
    private readonly tools: ToolCatalogue,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const shown = { tools: await this.tools.list(), done: doneOf(queryOf(request)) };
    this.visits.show(reply, <ToolsPage visit={this.visits.of(request)} {...shown} />);
  }

  /** What there is to see of a tool stands above what can be set for it. */
  @Get(':id')
  async show(@Param('id') name: string, @Res() reply: FastifyReply): Promise<void> {
    if (!isRecordId(name)) throw new Problem('tool-not-found');
    await this.visits.goTo(reply, `/admin/tools/${name}/edit`);
  }
}
