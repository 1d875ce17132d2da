import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInstance,
  IsInt,
  IsNumber,
  IsString,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { StartRunRequest } from '../../commands/start-run.command.js';
import type { RunMessage } from '../../events/run-events.js';
import { IsIdList, IsOneOf, IsRecordId, Optional } from '../body/form-rules.js';
import { invalidRequest } from '../problems/problem.js';

const ROLES = ['user', 'system', 'assistant'] as const;
const MOST_MESSAGES = 1_000;
const MOST_TOOLS = 128;
const MOST_SOURCES = 64;

const text = { message: 'must be a string' };

function between(least: number, most: number) {
  const rule = { message: `must be a number from ${least} to ${most}` };
  return (prototype: object, name: string) => {
    IsNumber({ allowNaN: false, allowInfinity: false }, rule)(prototype, name);
    Min(least, rule)(prototype, name);
    Max(most, rule)(prototype, name);
  };
}

function wholeFrom(least: number) {
  const rule = { message: `must be a whole number from ${least}` };
  return (prototype: object, name: string) => {
    IsInt(rule)(prototype, name);
    Min(least, rule)(prototype, name);
  };
}

export class MessageBody {
  @IsOneOf(ROLES)
  @ApiProperty({ enum: ROLES })
  role: RunMessage['role'];

  @IsString(text)
  @ApiProperty()
  content: string;
}

/** The closed list of what a run may ask of its model. */
export class RunOptionsBody {
  @Optional()
  @between(0, 2)
  @ApiPropertyOptional({ minimum: 0, maximum: 2 })
  temperature?: number;

  @Optional()
  @between(0, 1)
  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  topP?: number;

  @Optional()
  @wholeFrom(1)
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  maxOutputTokens?: number;

  @Optional()
  @wholeFrom(Number.MIN_SAFE_INTEGER)
  @ApiPropertyOptional({ type: 'integer' })
  seed?: number;
}

export class StartRunBody {
  @IsRecordId()
  @ApiProperty()
  configurationId: string;

  @Optional()
  @IsArray({ message: 'must be an array' })
  @ArrayMinSize(1, { message: 'must have at least one item' })
  @ArrayMaxSize(MOST_MESSAGES, { message: `must have at most ${MOST_MESSAGES} items` })
  @IsInstance(MessageBody, { each: true, message: 'must have items that are objects' })
  @ValidateNested({ each: true })
  @Type(() => MessageBody)
  @ApiPropertyOptional({ type: [MessageBody], description: 'Either this or `input`.' })
  messages?: MessageBody[];

  @Optional()
  @IsString(text)
  @ApiPropertyOptional({ description: 'One message of the user; either this or `messages`.' })
  input?: string;

  @Optional()
  @IsIdList(MOST_TOOLS)
  @ApiPropertyOptional({
    type: [String],
    description: 'Left out: all tools that the configuration allows; empty: none.',
  })
  allowedTools?: string[];

  @Optional()
  @wholeFrom(1)
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 5, description: 'Above 20 it is 20.' })
  maxIterations?: number;

  @Optional()
  @IsIdList(MOST_SOURCES)
  @ApiPropertyOptional({ type: [String] })
  forcedSnippetIds?: string[];

  @Optional()
  @IsIdList(MOST_SOURCES)
  @ApiPropertyOptional({ type: [String] })
  forcedSkillIds?: string[];

  @Optional()
  @IsInstance(RunOptionsBody, { message: 'must be an object' })
  @ValidateNested()
  @Type(() => RunOptionsBody)
  @ApiPropertyOptional({ type: RunOptionsBody })
  options?: RunOptionsBody;
}

/** @throws {Problem} `invalid-request` where the body has both kinds of input, or none */
export function startRunRequest(body: StartRunBody): StartRunRequest {
  return {
    configurationId: body.configurationId,
    messages: messagesOf(body),
    allowedTools: body.allowedTools ?? null,
    maxIterations: body.maxIterations ?? null,
    forcedSnippetIds: body.forcedSnippetIds ?? [],
    forcedSkillIds: body.forcedSkillIds ?? [],
    options: { ...body.options },
  };
}

function messagesOf({ messages, input }: StartRunBody): RunMessage[] {
  if ((messages === undefined) === (input === undefined)) {
    throw invalidRequest([{ pointer: '', message: 'must have either messages or input' }]);
  }
  if (input !== undefined) return [{ role: 'user', content: input }];
  return (messages ?? []).map(({ role, content }) => ({ role, content }));
}
