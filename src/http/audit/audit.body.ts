import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { AUDIT_KINDS } from '../../projections/audit/list-audit.query.js';

@ApiSchema({ name: 'AuditActor' })
class AuditActorBody {
  @ApiProperty({ enum: ['principal', 'worker', 'system'] })
  kind: string;

  @ApiProperty()
  id: string;
}

@ApiSchema({ name: 'AuditSubject' })
class AuditSubjectBody {
  @ApiProperty({ description: '`run`, or a kind of governance record such as `principal`.' })
  kind: string;

  @ApiProperty()
  id: string;
}

@ApiSchema({ name: 'ShownCall' })
class ShownCallBody {
  @ApiProperty()
  callId: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null where the model named no registered tool.' })
  toolName: string | null;
}

@ApiSchema({ name: 'ShownTurn' })
class ShownTurnBody {
  @ApiProperty()
  turnDigest: string;

  @ApiProperty({ type: [ShownCallBody], description: 'All calls of the turn; their arguments are content.' })
  calls: ShownCallBody[];
}

@ApiSchema({ name: 'AuditEntry' })
class AuditEntryBody {
  @ApiProperty({ description: 'Place in the log, in decimal digits.' })
  id: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ type: AuditActorBody, description: 'Who did it; for a release the worker that found the reason.' })
  actor: AuditActorBody;

  @ApiProperty({ enum: AUDIT_KINDS, enumName: 'AuditKind' })
  kind: string;

  @ApiPropertyOptional()
  runId?: string;

  @ApiProperty({ type: AuditSubjectBody })
  subject: AuditSubjectBody;

  @ApiProperty({ description: 'What came of it, in one word, such as `approved` or `refused`.' })
  outcome: string;

  @ApiPropertyOptional({ description: 'Why an answer was refused or released.' })
  reason?: string;

  @ApiPropertyOptional({ description: 'Why a tool was not admitted for whoever answered.' })
  denial?: string;

  @ApiPropertyOptional({ enum: ['input', 'approval', 'denial'], description: 'What kind of answer was refused.' })
  answer?: string;

  @ApiPropertyOptional()
  toolName?: string;

  @ApiPropertyOptional()
  sourceId?: string;

  @ApiPropertyOptional()
  dataClass?: string;

  @ApiPropertyOptional()
  zone?: string;

  @ApiPropertyOptional()
  callId?: string;

  @ApiPropertyOptional({ description: 'Which of the content of a run was erased.' })
  scope?: string;

  @ApiPropertyOptional({ type: ShownTurnBody, description: 'What whoever answered was shown.' })
  shown?: ShownTurnBody;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'What was put, issued or revoked, without content and without anything that recognises a token.',
  })
  document?: object;
}

@ApiSchema({ name: 'Audit' })
export class AuditBody {
  @ApiProperty({ type: [AuditEntryBody] })
  items: AuditEntryBody[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}
