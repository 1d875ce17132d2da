import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { GRANTS, SCOPES } from '../../governance/principal.js';
import { Given, PageQuery } from '../runs/list.queries.js';

export class ListRecordsQuery extends PageQuery {}

export class ListConfigurationsQuery extends PageQuery {
  @Given()
  @Matches(/^(?:snippet|skill):[A-Za-z0-9_-]{1,64}$/, { message: 'must be snippet:<id> or skill:<id>' })
  @ApiPropertyOptional({ description: 'Only those that name this source: `snippet:<id>` or `skill:<id>`.' })
  source?: string;
}

@ApiSchema({ name: 'ListedProvider' })
class ListedProviderBody {
  @ApiProperty()
  kind: string;

  @ApiPropertyOptional()
  model?: string;

  @ApiPropertyOptional()
  baseUrl?: string;

  @ApiPropertyOptional({ description: 'Name of the environment variable that holds the key.' })
  apiKeyEnv?: string;

  @ApiPropertyOptional({ type: 'integer' })
  timeoutMs?: number;
}

@ApiSchema({ name: 'ListedFallback' })
class ListedFallbackBody {
  @ApiProperty({ type: ListedProviderBody })
  provider: ListedProviderBody;

  @ApiProperty({ type: String, nullable: true })
  trustZone: string | null;
}

class ListedRecordBody {
  @ApiProperty()
  id: string;

  @ApiProperty({ format: 'date-time', description: 'When this document was put.' })
  updatedAt: string;
}

@ApiSchema({ name: 'ListedConfiguration' })
class ListedConfigurationBody extends ListedRecordBody {
  @ApiProperty({ type: ListedProviderBody, description: 'Without the turns of a scripted one.' })
  provider: ListedProviderBody;

  @ApiProperty({ type: String, nullable: true })
  trustZone: string | null;

  @ApiProperty({ type: [ListedFallbackBody] })
  fallbacks: readonly ListedFallbackBody[];

  @ApiProperty({ type: [String], nullable: true, description: 'Null: every registered tool.' })
  allowedTools: readonly string[] | null;

  @ApiProperty({ type: [String] })
  snippetIds: readonly string[];

  @ApiProperty({ type: [String] })
  skillIds: readonly string[];

  @ApiProperty()
  requireSecondApprover: boolean;
}

@ApiSchema({ name: 'ListedSource' })
class ListedSourceBody extends ListedRecordBody {
  @ApiProperty({ type: String, nullable: true, description: 'Null where it was erased.' })
  name: string | null;

  @ApiProperty({ type: String, nullable: true })
  dataClass: string | null;

  @ApiProperty()
  active: boolean;
}

@ApiSchema({ name: 'ListedPrincipal' })
class ListedPrincipalBody extends ListedRecordBody {
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

  @ApiProperty({ type: String, nullable: true })
  oidcSubject: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'To about a minute; null: never, as far as is known.',
  })
  tokensLastUsedAt: string | null;
}

export class ConfigurationListBody {
  @ApiProperty({ type: [ListedConfigurationBody] })
  items: readonly ListedConfigurationBody[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}

export class SourceListBody {
  @ApiProperty({ type: [ListedSourceBody] })
  items: readonly ListedSourceBody[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}

export class PrincipalListBody {
  @ApiProperty({ type: [ListedPrincipalBody] })
  items: readonly ListedPrincipalBody[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}
