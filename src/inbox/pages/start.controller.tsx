import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StartRun } from '../../commands/start-run.command.js';
import { mayAttempt } from '../../governance/access.js';
import { Limits } from '../../http/limits/limits.js';
import { Problem } from '../../http/problems/problem.js';
import { GetRun } from '../../projections/runs/get-run.query.js';
import { PagesForSignedIn } from './page.decorators.js';
import { postedFields } from './posted-fields.js';
import { type StartDraft, StartPage } from './start-page.js';
import { queryOf, Visits } from './visits.js';

const RECORD_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Starting a run by hand. */
@PagesForSignedIn()
@Controller('inbox/start')
export class StartController {
  constructor(
    private readonly visits: Visits,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly limits: Limits,
  ) {}

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.requireStart(request);
    const configuration = queryOf(request).get('configuration') ?? '';
    this.showForm(request, reply, { configuration, input: '', fault: null }, 200);
  }

  @Post()
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireStart(request);
    const caller = this.visits.callerOf(request);
    const fields = postedFields(request);
    const configuration = (fields.get('configuration') ?? '').trim();
    const input = (fields.get('input') ?? '').replaceAll('\r\n', '\n');
    const again = (fault: StartDraft['fault']) => this.showForm(request, reply, { configuration, input, fault }, 422);
    if (fields.get('intent') === 'refresh')
      return this.showForm(request, reply, { configuration, input, fault: null }, 200);
    if (configuration === '') return again('configurationMissing');
    if (input.trim() === '') return again('inputMissing');
    if (!RECORD_ID.test(configuration)) return again('configurationGone');
    const asked = {
      configurationId: configuration,
      messages: [{ role: 'user', content: input }],
      allowedTools: null,
      maxIterations: null,
      forcedSnippetIds: [],
      forcedSkillIds: [],
      options: {},
    } as const;
    await this.limits.admitCall('starts', caller.id);
    const result = await this.commands.execute(new StartRun(caller, asked, null, request.id));
    if (result.outcome === 'rejected') return again('configurationGone');
    await this.queries.execute(new GetRun(caller, result.runId, { atLeast: result.position }));
    await this.visits.goTo(reply, `/runs/${result.runId}?done=started`);
  }

  private requireStart(request: FastifyRequest): void {
    if (!mayAttempt(this.visits.callerOf(request), 'start')) throw new Problem('forbidden');
  }

  private showForm(request: FastifyRequest, reply: FastifyReply, draft: StartDraft, status: number): void {
    this.visits.show(reply, <StartPage visit={this.visits.of(request)} draft={draft} />, status);
  }
}
