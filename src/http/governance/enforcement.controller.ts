import { Body, Controller, Get, Headers, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PutEnforcement } from '../../commands/governance/put-enforcement.command.js';
import { EnforcementPolicy } from '../../governance/enforcement-policy.js';
import type { Principal } from '../../governance/principal.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { entityTag, precondition } from '../headers/precondition.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { EnforcementBody } from './enforcement.body.js';
import { PUT_ENFORCEMENT_PROBLEMS } from './governance-problems.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/policies/data-class-enforcement`)
export class EnforcementController {
  constructor(
    private readonly commands: CommandBus,
    private readonly policy: EnforcementPolicy,
  ) {}

  @Put()
  @ApiOperation({ summary: 'Say whether the ceiling of data classes is enforced or only observed' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiOkResponse({ type: EnforcementBody })
  @BodyCallProblems('precondition-failed')
  async put(
    @Body() { mode }: EnforcementBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EnforcementBody> {
    const put = new PutEnforcement(actorOf(caller), mode, precondition(ifMatch, ifNoneMatch), correlationId);
    const { revision } = acceptedOrProblem(PUT_ENFORCEMENT_PROBLEMS, await this.commands.execute(put));
    reply.header('ETag', entityTag(revision));
    return { mode };
  }

  @Get()
  @ApiOperation({ summary: 'Read whether the ceiling of data classes is enforced or only observed' })
  @ApiOkResponse({ type: EnforcementBody })
  @CallProblems()
  async get(@Res({ passthrough: true }) reply: FastifyReply): Promise<EnforcementBody> {
    const { mode, revision } = await this.policy.read();
    if (revision !== null) reply.header('ETag', entityTag(revision));
    return { mode };
  }
}
