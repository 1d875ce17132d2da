import { ApiProperty } from '@nestjs/swagger';
import type { Enforcement } from '../../governance/ceiling.js';
import { IsOneOf } from '../body/form-rules.js';

const MODES = ['enforce', 'observe'] as const;

export class EnforcementBody {
  @IsOneOf(MODES)
  @ApiProperty({ enum: MODES, description: '`observe`: what exceeds the ceiling is recorded and sent all the same.' })
  mode: Enforcement;
}
