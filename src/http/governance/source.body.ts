import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import type { SourceDocument } from '../../governance/decisions/put-source.js';
import { DATA_CLASSES, type DataClass } from '../../governance/tool-catalogue.js';
import { IsFilledText, IsOneOf, Optional } from '../body/form-rules.js';

const LONGEST_NAME = 200;
const LONGEST_CONTENT = 65_536;

export class SourceBody {
  @IsFilledText(LONGEST_NAME)
  @ApiProperty({ minLength: 1, maxLength: LONGEST_NAME, description: 'For people.' })
  name: string;

  @IsFilledText(LONGEST_CONTENT)
  @ApiProperty({ minLength: 1, maxLength: LONGEST_CONTENT, description: 'What stands in the prompt.' })
  content: string;

  @Optional()
  @IsOneOf(DATA_CLASSES)
  @ApiPropertyOptional({ enum: DATA_CLASSES, description: 'Left out: it puts no limit on where it goes.' })
  dataClass?: DataClass;

  @IsBoolean({ message: 'must be true or false' })
  @ApiProperty({ description: 'False: new runs do not use it.' })
  active: boolean;
}

export function sourceDocument({ name, content, dataClass, active }: SourceBody): SourceDocument {
  return { name, content, dataClass: dataClass ?? null, active };
}

/** The same as a body again, so that what was read can be edited and put back. */
export function sourceBody({ name, content, dataClass, active }: SourceDocument): object {
  return { name, content, ...(dataClass === null ? {} : { dataClass }), active };
}
