import { Body, Controller, Get, Headers, Param, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PutPrincipal } from '../../commands/governance/put-principal.command.js';
import type { Principal } from '../../governance/principal.js';
import { Principals } from '../../governance/principals.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { entityTag, precondition } from '../headers/precondition.js';
import { Problem } from '../problems/problem.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { PUT_PRINCIPAL_PROBLEMS } from './governance-problems.js';
import { PrincipalBody, principalBody, principalDocument } from './principal.body.js';
import { RecordIdPipe } from './record-id.pipe.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/principals/:id`)
export class PrincipalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly principals: Principals,
  ) {}

  @Put()
  @ApiOperation({ summary: 'Put a person or a service account, whole' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiOkResponse({ type: PrincipalBody })
  @ApiCreatedResponse({ type: PrincipalBody, description: 'There was none before.' })
  @BodyCallProblems('self-lockout', 'subject-taken', 'precondition-failed')
  async put(
    @Param('id', RecordIdPipe) id: string,
    @Body() body: PrincipalBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const document = principalDocument(body);
    const expected = precondition(ifMatch, ifNoneMatch);
    const put = new PutPrincipal(actorOf(caller), id, document, expected, correlationId);
    const { change, revision } = acceptedOrProblem(PUT_PRINCIPAL_PROBLEMS, await this.commands.execute(put));
    reply.status(change === 'created' ? 201 : 200).header('ETag', entityTag(revision));
    return principalBody(document);
  }

  @Get()
  @ApiOperation({ summary: 'Read a person or a service account' })
  @ApiOkResponse({ type: PrincipalBody })
  @CallProblems('invalid-request', 'principal-not-found')
  async get(@Param('id', RecordIdPipe) id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const record = await this.principals.read(id);
    if (record === null) throw new Problem('principal-not-found');
    reply.header('ETag', entityTag(record.revision));
    return principalBody(record.principal);
  }
}
