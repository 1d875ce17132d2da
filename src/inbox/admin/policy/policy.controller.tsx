import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PutEnforcement } from '../../../commands/governance/put-enforcement.command.js';
import type { Enforcement } from '../../../governance/ceiling.js';
import { EnforcementPolicy } from '../../../governance/enforcement-policy.js';
import { DATA_CLASS_ENFORCEMENT_ID } from '../../../governance/enforcement-record.js';
import { bodyInForm } from '../../../http/body/read-form.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { EnforcementBody } from '../../../http/governance/enforcement.body.js';
import { PUT_ENFORCEMENT_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { Problem } from '../../../http/problems/problem.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import { postedFields } from '../../pages/posted-fields.js';
import { queryOf, Visits } from '../../pages/visits.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { doneOf } from '../section.js';
import { postedVersion, unchangedSince, versionOf } from '../version.js';
import { PolicyPage, SwitchPage } from './policy-pages.js';

@PagesForAdmins()
@Controller('inbox/admin/policy')
export class PolicyPagesController {
  constructor(
    private readonly visits: Visits,
    private readonly policy: EnforcementPolicy,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { mode } = await this.policy.read();
    const visit = this.visits.of(request);
    this.visits.show(reply, <PolicyPage visit={visit} mode={mode} done={doneOf(queryOf(request))} />);
  }

  @Get(':mode')
  async ask(@Param('mode') mode: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.showSwitch(await modeOf(mode), request, reply, false);
  }

  @Post(':mode')
  async switch(
    @Param('mode') wanted: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const mode = await modeOf(wanted);
    const precondition = unchangedSince(postedVersion(postedFields(request)), DATA_CLASS_ENFORCEMENT_ID);
    const actor = actorOf(this.visits.callerOf(request));
    try {
      const put = new PutEnforcement(actor, mode, precondition, request.id);
      acceptedOrProblem(PUT_ENFORCEMENT_PROBLEMS, await this.commands.execute(put));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'precondition-failed') throw error;
      await this.showSwitch(mode, request, reply, true);
      return;
    }
    await this.visits.goTo(reply, '/admin/policy?done=switched');
  }

  private async showSwitch(
    to: Enforcement,
    request: FastifyRequest,
    reply: FastifyReply,
    isStale: boolean,
  ): Promise<void> {
    const { revision } = await this.policy.read();
    const version = versionOf(DATA_CLASS_ENFORCEMENT_ID, revision);
    const page = <SwitchPage visit={this.visits.of(request)} to={to} version={version} isStale={isStale} />;
    this.visits.show(reply, page, isStale ? 409 : 200);
  }
}

/** @throws {Problem} `not-found` for what the interface would not take as a mode */
async function modeOf(text: string): Promise<Enforcement> {
  try {
    return (await bodyInForm({ mode: text }, EnforcementBody)).mode;
  } catch {
    throw new Problem('not-found');
  }
}
