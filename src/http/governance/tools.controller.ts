import { Body, Controller, Get, Headers, Param, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SwitchTool } from '../../commands/governance/switch-tool.command.js';
import type { Principal } from '../../governance/principal.js';
import { ToolCatalogue } from '../../governance/tool-catalogue.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { entityTag, precondition } from '../headers/precondition.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { SWITCH_TOOL_PROBLEMS } from './governance-problems.js';
import { RecordIdPipe } from './record-id.pipe.js';
import { ToolListBody, ToolSwitchBody, toolSwitch } from './tool.body.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/tools`)
export class ToolsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly tools: ToolCatalogue,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the registered tools' })
  @ApiOkResponse({ type: ToolListBody })
  @CallProblems()
  async list(): Promise<ToolListBody> {
    return { items: await this.tools.list(), nextCursor: null };
  }

  @Put(':id')
  @ApiOperation({ summary: 'Switch a tool off or on, or make every call of it wait for approval' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiOkResponse({ type: ToolSwitchBody })
  @BodyCallProblems('tool-not-found', 'precondition-failed')
  async switch(
    @Param('id', RecordIdPipe) name: string,
    @Body() body: ToolSwitchBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ToolSwitchBody> {
    const document = toolSwitch(body);
    const expected = precondition(ifMatch, undefined);
    const command = new SwitchTool(actorOf(caller), name, document, expected, correlationId);
    const { revision } = acceptedOrProblem(SWITCH_TOOL_PROBLEMS, await this.commands.execute(command));
    reply.header('ETag', entityTag(revision));
    return document;
  }
}
