import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { type CataloguedTool, ToolCatalogue } from '../../governance/tool-catalogue.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { CallProblems } from '../documentation/problem-responses.js';

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

  @ApiProperty({ description: 'Whether every call waits for approval.' })
  approval: boolean;

  @ApiProperty()
  adminOnly: boolean;

  @ApiProperty()
  dataClass: string;
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
  constructor(private readonly tools: ToolCatalogue) {}

  @Get()
  @ApiOperation({ summary: 'List the registered tools' })
  @ApiOkResponse({ type: ToolListBody })
  @CallProblems()
  list(): ToolListBody {
    return { items: this.tools.list(), nextCursor: null };
  }
}
