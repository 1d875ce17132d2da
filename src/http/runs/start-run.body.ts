import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { StartRunRequest } from '../../commands/start-run.command.js';
import type { RunMessage } from '../../events/run-events.js';
import {
  IsForm,
  IsFormList,
  IsIdList,
  IsNumberWithin,
  IsOneOf,
  IsRecordId,
  IsText,
  IsWholeFrom,
  Optional,
} from '../body/form-rules.js';
import { invalidRequest } from '../problems/problem.js';

const ROLES = ['user', 'system', 'assistant'] as const;
const MOST_MESSAGES = 1_000;
const MOST_TOOLS = 128;
const MOST_SOURCES = 64;

export class MessageBody {
  @IsOneOf(ROLES)
  @ApiProperty({ enum: ROLES })
  role: RunMessage['role'];

  @IsText()
  @ApiProperty()
  content: string;
}

/** The closed list of what a run may ask of its model. */
export class RunOptionsBody {
  @Optional()
  @IsNumberWithin(0, 2)
  @ApiPropertyOptional({ minimum: 0, maximum: 2 })
  temperature?: number;

  @Optional()
  @IsNumberWithin(0, 1)
  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  topP?: number;

  @Optional()
  @IsWholeFrom(1)
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  maxOutputTokens?: number;

  @Optional()
  @IsWholeFrom(Number.MIN_SAFE_INTEGER)
  @ApiPropertyOptional({ type: 'integer' })
  seed?: number;
}

export class StartRunBody {
  @IsRecordId()
  @ApiProperty()
  configurationId: string;

  @Optional()
  @IsFormList(MessageBody, MOST_MESSAGES)
  @ApiPropertyOptional({ type: [MessageBody], description: 'Either this or `input`.' })
  messages?: MessageBody[];

  @Optional()
  @IsText()
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
  @IsWholeFrom(1)
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
  @IsForm(RunOptionsBody)
  @ApiPropertyOptional({ type: RunOptionsBody })
  options?: RunOptionsBody;
}

/** @throws {Problem} `invalid-request` where the body has both forms of input, or none */
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
  if (messages?.length === 0) throw invalidRequest([{ pointer: '/messages', message: 'must have at least one item' }]);
  return messages?.map(({ role, content }) => ({ role, content })) ?? [{ role: 'user', content: input ?? '' }];
}
