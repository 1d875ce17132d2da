import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { SubmitInput } from '../../commands/submit-input.command.js';
import type { JsonValue } from '../../events/json.js';
import { FreePart } from '../body/free-part.js';
import { invalidRequest } from '../problems/problem.js';

/** All of it is judged by the rules of the pause, in their order; the form of the body decides nothing (TRN-3). */
export class SubmitInputBody {
  @FreePart()
  @ApiProperty({ type: String, description: 'Of the turn that was seen, as `GET …/pause` tells it.' })
  turnDigest?: JsonValue;

  @FreePart()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: true },
    description: 'By call id, one for each request. Either this or `data`.',
  })
  answers?: JsonValue;

  @FreePart()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Where exactly one request is open.',
  })
  data?: JsonValue;
}

/** @throws {Problem} `invalid-request` where the body has both forms of values, or none */
export function postedValues({ answers, data }: SubmitInputBody): SubmitInput['values'] {
  if (answers !== undefined && data === undefined) return { form: 'answers', answers };
  if (data !== undefined && answers === undefined) return { form: 'data', data };
  throw invalidRequest([{ pointer: '', message: 'must have either answers or data' }]);
}
