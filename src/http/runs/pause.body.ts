import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

const PAUSE_KINDS = ['input', 'approval', 'resolution'] as const;

@ApiSchema({ name: 'PendingCall' })
class PendingCallBody {
  @ApiProperty()
  callId: string;

  @ApiProperty({ description: 'As the model wrote it.' })
  toolName: string;

  @ApiProperty({
    oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
    description: 'In full; text where it is no JSON object.',
  })
  arguments: unknown;
}

@ApiSchema({ name: 'PauseRequest' })
class PauseRequestBody extends PendingCallBody {
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'JSON Schema 2020-12, for input.' })
  inputSchema?: object;

  @ApiPropertyOptional({ enum: ['read_only', 'idempotent_write', 'non_idempotent_write'] })
  effect?: string;

  @ApiPropertyOptional({ type: [String] })
  preview?: string[];
}

@ApiSchema({ name: 'Pause' })
export class PauseBody {
  @ApiProperty({ enum: PAUSE_KINDS })
  kind: string;

  @ApiProperty({ type: String, nullable: true, description: 'To be named by the answer.' })
  turnDigest: string | null;

  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ type: [PauseRequestBody] })
  requests: PauseRequestBody[];

  @ApiProperty({ type: [PendingCallBody], description: 'Calls of the same turn about which nothing is asked.' })
  otherCalls: PendingCallBody[];

  @ApiPropertyOptional({
    type: [String],
    description:
      'Tools of this turn that are not registered any more. Until they are there again the turn can be denied or cancelled, and no other answer is accepted.',
  })
  missingTools?: string[];
}

@ApiSchema({ name: 'InboxItem' })
class InboxItemBody {
  @ApiProperty()
  runId: string;

  @ApiProperty({ enum: PAUSE_KINDS })
  kind: string;

  @ApiProperty({ type: [String] })
  toolNames: string[];

  @ApiProperty()
  ownerId: string;

  @ApiProperty()
  configurationId: string;

  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ type: String, nullable: true })
  turnDigest: string | null;
}

@ApiSchema({ name: 'Inbox' })
export class InboxBody {
  @ApiProperty({ type: [InboxItemBody] })
  items: InboxItemBody[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}

@ApiSchema({ name: 'TimelineActor' })
class TimelineActorBody {
  @ApiProperty({ enum: ['principal', 'worker', 'system'] })
  kind: string;

  @ApiProperty()
  id: string;
}

@ApiSchema({
  name: 'TimelineEntry',
  description: 'One event: beside what is listed here, the clear fields of its type. Never content.',
})
class TimelineEntryBody {
  @ApiProperty({ type: 'integer' })
  sequence: number;

  @ApiProperty({ description: "The event's name." })
  type: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  at: string | null;

  @ApiPropertyOptional({ type: TimelineActorBody })
  actor?: TimelineActorBody;

  @ApiPropertyOptional({ description: 'Why the event cannot be read.' })
  unreadable?: string;
}

@ApiSchema({ name: 'Timeline' })
export class TimelineBody {
  @ApiProperty({ type: [TimelineEntryBody] })
  items: TimelineEntryBody[];

  @ApiProperty({ type: String, nullable: true, description: 'The sequence to ask on from, with `after`.' })
  nextCursor: string | null;
}
