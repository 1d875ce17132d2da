import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { GRANTS, type Principal, SCOPES } from '../governance/principal.js';
import { AnyCaller } from './admission.js';
import { API_PATH } from './api-path.js';
import { Caller } from './caller.js';
import { CallProblems } from './documentation/problem-responses.js';

class CallerBody {
  @ApiProperty()
  id: string;

  @ApiProperty({ enum: ['person', 'service_account'] })
  kind: string;

  @ApiProperty()
  enabled: boolean;

  @ApiProperty()
  admin: boolean;

  @ApiProperty({ isArray: true, enum: GRANTS })
  grants: readonly string[];

  @ApiProperty({ isArray: true, enum: SCOPES })
  scopes: readonly string[];
}

@ApiTags('governance')
@ApiBearerAuth()
@AnyCaller()
@Controller(`${API_PATH}/me`)
export class MeController {
  @Get()
  @ApiOperation({ summary: 'Read who is calling' })
  @ApiOkResponse({ type: CallerBody })
  @CallProblems()
  me(@Caller() { id, kind, enabled, admin, grants, scopes }: Principal): CallerBody {
    return { id, kind, enabled, admin, grants, scopes };
  }
}
