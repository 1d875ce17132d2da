import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import type { JsonValue } from '../../events/json.js';
import { IsText, Optional } from '../body/form-rules.js';
import { FreePart } from '../body/free-part.js';

const LONGEST_COMMENT = 4_000;

/** A decision is a boolean and nothing that could be taken for one: no text, no number, no absence. */
export class ApprovalBody {
  @FreePart()
  @ApiProperty({ type: String, description: 'Of the turn that was seen, as `GET …/pause` tells it.' })
  turnDigest?: JsonValue;

  @IsBoolean({ message: 'must be true or false' })
  @ApiProperty({ description: 'The decision on the whole turn.' })
  approved: boolean;

  @Optional()
  @IsText(LONGEST_COMMENT)
  @ApiPropertyOptional({ maxLength: LONGEST_COMMENT })
  comment?: string;
}
