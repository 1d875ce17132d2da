import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Visits } from '../pages/visits.js';
import { PagesForAdmins } from './admin.decorators.js';

/** The administration begins with what most come for. */
@PagesForAdmins()
@Controller('inbox/admin')
export class AdminOverviewController {
  constructor(private readonly visits: Visits) {}

  @Get()
  async enter(@Res() reply: FastifyReply): Promise<void> {
    await this.visits.goTo(reply, '/admin/configurations');
  }
}
