import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConfigurationPolicies } from '../../governance/configuration-policies.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { CallProblems } from '../documentation/problem-responses.js';
import { Problem } from '../problems/problem.js';
import { ConfigurationPolicyBody, PolicyQuery } from './configuration-policy.body.js';
import { RecordIdPipe } from './record-id.pipe.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/configurations/:id/policy`)
export class ConfigurationPolicyController {
  constructor(private readonly policies: ConfigurationPolicies) {}

  @Get()
  @ApiOperation({ summary: 'Read which tools a configuration offers to whom, and which sources bind' })
  @ApiOkResponse({ type: ConfigurationPolicyBody })
  @CallProblems('invalid-request', 'configuration-not-found')
  async get(
    @Param('id', RecordIdPipe) id: string,
    @Query() { principalId }: PolicyQuery,
  ): Promise<ConfigurationPolicyBody> {
    const policy = await this.policies.read(id, principalId ?? null);
    if (policy === null) throw new Problem('configuration-not-found');
    return policy;
  }
}
