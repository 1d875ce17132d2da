import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { JsonValue } from '../../events/json.js';
import type { Verdict } from '../../run/decisions/resolve-call.js';
import { IsFilledText, IsOneOf } from '../body/form-rules.js';
import { FreePart } from '../body/free-part.js';
import { invalidRequest } from '../problems/problem.js';

const VERDICTS = ['executed', 'not_executed', 'fail'] as const;
const LONGEST_NOTE = 4_000;

export class ResolutionBody {
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be the id of a call' })
  @ApiProperty({ description: 'The call whose outcome was unknown.' })
  callId: string;

  @IsOneOf(VERDICTS)
  @ApiProperty({ enum: VERDICTS, description: 'What was found out; `fail` settles the run.' })
  verdict: (typeof VERDICTS)[number];

  @FreePart()
  @ApiPropertyOptional({
    description: 'What the write returned, for the model. With `executed` alone, and then required.',
  })
  result?: JsonValue;

  @IsFilledText(LONGEST_NOTE)
  @ApiProperty({ maxLength: LONGEST_NOTE, description: 'How it was found out.' })
  note: string;
}

/** @throws {Problem} `invalid-request` where verdict and result do not go together */
export function findingOf({ verdict, result }: ResolutionBody): Verdict {
  if (verdict === 'executed') {
    if (result === undefined) throw invalidRequest([{ pointer: '/result', message: 'is required for `executed`' }]);
    return { verdict, result };
  }
  if (result !== undefined) throw invalidRequest([{ pointer: '/result', message: 'is for `executed` alone' }]);
  return { verdict };
}
