import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { ConfigurationPolicy, Offer } from '../../governance/configuration-policies.js';
import { IsRecordId, Optional } from '../body/form-rules.js';

export class PolicyQuery {
  @Optional()
  @IsRecordId()
  @ApiPropertyOptional({ description: 'A principal to be asked about besides people and administrators at large.' })
  principalId?: string;
}

@ApiSchema({ name: 'ContextRefusal' })
class ContextRefusalBody {
  @ApiProperty()
  source: string;

  @ApiProperty()
  dataClass: string;

  @ApiProperty()
  zone: string;
}

@ApiSchema({ name: 'Ceiling' })
class CeilingBody {
  @ApiProperty({ description: 'The least trusted zone within reach, that of fallbacks included.' })
  zone: string;

  @ApiProperty({ description: 'The most sensitive class that may go there.' })
  dataClass: string;

  @ApiProperty({ enum: ['enforce', 'observe'] })
  enforcement: string;
}

@ApiSchema({ name: 'ChainedProvider' })
class ChainedProviderBody {
  @ApiProperty()
  kind: string;

  @ApiProperty({ description: 'The zone that counts, which for a missing one is the least trusted.' })
  trustZone: string;
}

@ApiSchema({ name: 'Offer' })
class OfferBody {
  @ApiProperty()
  offered: boolean;

  @ApiPropertyOptional({ description: 'Why it is not.' })
  reason?: string;
}

@ApiSchema({ name: 'ToolPolicy' })
class ToolPolicyBody {
  @ApiProperty()
  name: string;

  @ApiProperty({ description: 'Of what it returns.' })
  dataClass: string;

  @ApiProperty({ type: OfferBody, description: 'To runs of people who are no administrators.' })
  people: Offer;

  @ApiProperty({ type: OfferBody })
  administrators: Offer;

  @ApiPropertyOptional({ type: OfferBody, description: 'To runs of the principal that was asked about.' })
  principal?: Offer;
}

@ApiSchema({ name: 'SourcePolicy' })
class SourcePolicyBody {
  @ApiProperty()
  source: string;

  @ApiProperty({ type: String, nullable: true })
  dataClass: string | null;

  @ApiProperty({ description: 'Whether it limits where a run that is started now may go.' })
  binds: boolean;

  @ApiProperty({
    enum: ['not_found', 'inactive', 'no_data_class', 'above_ceiling', 'strictest', 'less_strict'],
  })
  reason: string;
}

@ApiSchema({ name: 'ContextVerdict' })
class ContextVerdictBody {
  @ApiProperty({ enum: ['permitted', 'observed', 'blocked'] })
  verdict: string;

  @ApiPropertyOptional({ type: ContextRefusalBody, description: 'What is above the ceiling.' })
  over?: ContextRefusalBody;
}

@ApiSchema({ name: 'ConfigurationPolicy' })
export class ConfigurationPolicyBody {
  @ApiProperty({ type: CeilingBody })
  ceiling: ConfigurationPolicy['ceiling'];

  @ApiProperty({ type: [ChainedProviderBody] })
  chain: ConfigurationPolicy['chain'];

  @ApiProperty({ type: [ToolPolicyBody] })
  tools: ConfigurationPolicy['tools'];

  @ApiProperty({ type: [SourcePolicyBody] })
  sources: ConfigurationPolicy['sources'];

  @ApiProperty({ type: ContextVerdictBody, description: 'Of a run that is started now and forces no sources.' })
  context: ConfigurationPolicy['context'];
}
