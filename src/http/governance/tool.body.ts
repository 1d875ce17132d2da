import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, ValidateIf } from 'class-validator';
import type { CataloguedTool } from '../../governance/tool-catalogue.js';

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

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Of what an operator has set, for `If-Match`; null: nothing.',
  })
  revision: number | null;

  @ApiProperty()
  adminOnly: boolean;

  @ApiProperty({ description: "Whether somebody else's server executes it." })
  remote: boolean;

  @ApiProperty()
  dataClass: string;
}

export class ToolSwitchBody {
  @IsBoolean({ message: 'must be true or false' })
  @ApiProperty({ description: 'False: offered to nobody, executed for nobody.' })
  enabled: boolean;

  @ValidateIf((_form, value) => value !== undefined && value !== null)
  @IsBoolean({ message: 'must be true, false or null' })
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'True: every call waits for approval. False, for a remote tool alone: none does.',
  })
  approval?: boolean | null;
}

export class ToolListBody {
  @ApiProperty({ type: [ToolBody] })
  items: readonly CataloguedTool[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: all tools are in the one list.' })
  nextCursor: string | null;
}

/** What is set in place of what was set before. */
export function toolSwitch({ enabled, approval }: ToolSwitchBody) {
  return { enabled, approval: approval ?? null };
}
