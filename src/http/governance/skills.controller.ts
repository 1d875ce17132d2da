import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Put, Res } from '@nestjs/common';
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
import type { Principal } from '../../governance/principal.js';
import type { SourceRef } from '../../governance/source-record.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { RecordIdPipe } from './record-id.pipe.js';
import { SourceBody } from './source.body.js';
import { SourceEditing } from './source-editing.js';

const skillNamed = (id: string): SourceRef => ({ kind: 'skill', id });

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/skills/:id`)
export class SkillsController {
  constructor(private readonly editing: SourceEditing) {}

  @Put()
  @ApiOperation({ summary: 'Put a skill, whole' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiOkResponse({ type: SourceBody })
  @ApiCreatedResponse({ type: SourceBody, description: 'There was none before.' })
  @BodyCallProblems('precondition-failed')
  put(
    @Param('id', RecordIdPipe) id: string,
    @Body() body: SourceBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.editing.put({ source: skillNamed(id), caller, correlationId, ifMatch, ifNoneMatch }, body, reply);
  }

  @Get()
  @ApiOperation({ summary: 'Read a skill' })
  @ApiOkResponse({ type: SourceBody })
  @CallProblems('invalid-request', 'source-not-found')
  get(@Param('id', RecordIdPipe) id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.editing.get(skillNamed(id), reply);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a skill; runs whose prompt has it go on' })
  @ApiHeader({ name: 'If-Match', required: false })
  @ApiNoContentResponse()
  @CallProblems('invalid-request', 'source-not-found', 'precondition-failed')
  delete(
    @Param('id', RecordIdPipe) id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
  ): Promise<void> {
    return this.editing.delete({ source: skillNamed(id), caller, correlationId, ifMatch });
  }
}
