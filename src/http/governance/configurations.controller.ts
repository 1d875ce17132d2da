import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DeleteConfiguration } from '../../commands/governance/delete-configuration.command.js';
import { PutConfiguration } from '../../commands/governance/put-configuration.command.js';
import { Configurations } from '../../governance/configurations.js';
import type { Principal } from '../../governance/principal.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { entityTag, precondition } from '../headers/precondition.js';
import { Problem } from '../problems/problem.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { ConfigurationBody, configurationBody, configurationDocument } from './configuration.body.js';
import { DELETE_CONFIGURATION_PROBLEMS, PUT_CONFIGURATION_PROBLEMS } from './governance-problems.js';
import { RecordIdPipe } from './record-id.pipe.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/configurations/:id`)
export class ConfigurationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly configurations: Configurations,
  ) {}

  @Put()
  @ApiOperation({ summary: 'Put a configuration, whole' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiOkResponse({ type: ConfigurationBody })
  @ApiCreatedResponse({ type: ConfigurationBody, description: 'There was none before.' })
  @BodyCallProblems('precondition-failed')
  async put(
    @Param('id', RecordIdPipe) id: string,
    @Body() body: ConfigurationBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const document = configurationDocument(body);
    const expected = precondition(ifMatch, ifNoneMatch);
    const put = new PutConfiguration(actorOf(caller), id, document, expected, correlationId);
    const { change, revision } = acceptedOrProblem(PUT_CONFIGURATION_PROBLEMS, await this.commands.execute(put));
    reply.status(change === 'created' ? 201 : 200).header('ETag', entityTag(revision));
    return configurationBody(document);
  }

  @Get()
  @ApiOperation({ summary: 'Read a configuration' })
  @ApiOkResponse({ type: ConfigurationBody })
  @CallProblems('invalid-request', 'configuration-not-found')
  async get(@Param('id', RecordIdPipe) id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const configuration = await this.configurations.open(id);
    if (configuration === null) throw new Problem('configuration-not-found');
    reply.header('ETag', entityTag(configuration.revision));
    return configurationBody(configuration);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a configuration; deleting it again changes nothing' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiNoContentResponse()
  @CallProblems('invalid-request', 'configuration-not-found', 'precondition-failed')
  async delete(
    @Param('id', RecordIdPipe) id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
  ): Promise<void> {
    const deletion = new DeleteConfiguration(actorOf(caller), id, precondition(ifMatch, undefined), correlationId);
    acceptedOrProblem(DELETE_CONFIGURATION_PROBLEMS, await this.commands.execute(deletion));
  }
}
