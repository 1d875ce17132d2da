import { Body, Controller, Get, Headers, Param, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiBearerAuth,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsBoolean, ValidateIf } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { SwitchTool } from '../../commands/governance/switch-tool.command.js';
import type { Principal } from '../../governance/principal.js';
import { type CataloguedTool, ToolCatalogue } from '../../governance/tool-catalogue.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { entityTag, precondition } from '../headers/precondition.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { SWITCH_TOOL_PROBLEMS } from './governance-problems.js';
import { RecordIdPipe } from './record-id.pipe.js';

class ToolBody {
  @ApiProperty()
  name: string;

  @ApiProperty()
  description: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'JSON Schema 2020-12 of the arguments.' })
  parameters: object;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of the data that calls wait for.' })
  inputSchema?: object;

  @ApiProperty({ enum: ['read_only', 'idempotent_write', 'non_idempotent_write'] })
  effect: string;

  @ApiProperty({ description: 'Whether it is offered and executed at all.' })
  enabled: boolean;

  @ApiProperty({ description: 'Whether every call waits for approval.' })
  approval: boolean;

  @ApiProperty({ type: Boolean, nullable: true, description: 'What an operator has set; null: nothing.' })
  operatorApproval: boolean | null;

  @ApiProperty()
  adminOnly: boolean;

  @ApiProperty()
  dataClass: string;
}

class ToolSwitchBody {
  @IsBoolean({ message: 'must be true or false' })
  @ApiProperty({ description: 'False: offered to nobody, executed for nobody.' })
  enabled: boolean;

  @ValidateIf((_form, value) => value !== undefined && value !== null)
  @IsBoolean({ message: 'must be true, false or null' })
  @ApiPropertyOptional({ type: Boolean, nullable: true, description: 'True: every call waits for approval.' })
  approval?: boolean | null;
}

class ToolListBody {
  @ApiProperty({ type: [ToolBody] })
  items: readonly CataloguedTool[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all tools are in the one list.' })
  nextCursor: string | null;
}

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
    @Body() { enabled, approval }: ToolSwitchBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ToolSwitchBody> {
    const document = { enabled, approval: approval ?? null };
    const expected = precondition(ifMatch, undefined);
    const command = new SwitchTool(actorOf(caller), name, document, expected, correlationId);
    const { revision } = acceptedOrProblem(SWITCH_TOOL_PROBLEMS, await this.commands.execute(command));
    reply.header('ETag', entityTag(revision));
    return document;
  }
}
