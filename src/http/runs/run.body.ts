import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { MOST_AHEAD } from '../../projections/runs/get-run.query.js';

/*
 * What calls about runs answer, for the document of the interface. The answers themselves are the views of the queries;
 * `test/http` compares the two.
 */

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting_for_approval',
  'waiting_for_input',
  'waiting_for_resolution',
  'completed',
  'failed',
  'cancelled',
] as const;

const PAUSE_KINDS = ['input', 'approval', 'resolution'] as const;
const digest = { type: String, nullable: true, pattern: '^[0-9a-f]{64}$' } as const;
const time = { format: 'date-time' } as const;

@ApiSchema({ name: 'Usage' })
class UsageBody {
  @ApiProperty({ type: 'integer' })
  inputTokens: number;

  @ApiProperty({ type: 'integer' })
  outputTokens: number;
}

@ApiSchema({ name: 'OpenRequest' })
class OpenRequestBody {
  @ApiProperty()
  callId: string;

  @ApiProperty()
  toolName: string;
}

@ApiSchema({ name: 'Release' })
class ReleaseBody {
  @ApiProperty(time)
  at: string;

  @ApiProperty()
  reason: string;

  @ApiPropertyOptional()
  toolName?: string;

  @ApiPropertyOptional({ description: 'The source that was too sensitive.' })
  sourceId?: string;

  @ApiPropertyOptional({ description: 'Its data class.' })
  dataClass?: string;

  @ApiPropertyOptional({ description: 'The zone that may not receive it.' })
  zone?: string;
}

@ApiSchema({ name: 'PauseSummary' })
export class PauseSummaryBody {
  @ApiProperty({ enum: PAUSE_KINDS })
  kind: string;

  @ApiProperty(digest)
  turnDigest: string | null;

  @ApiProperty(time)
  since: string;

  @ApiProperty({ type: [OpenRequestBody] })
  requests: OpenRequestBody[];

  @ApiPropertyOptional({ type: ReleaseBody, description: 'Why an answer to this pause was handed back.' })
  released?: ReleaseBody;
}

@ApiSchema({ name: 'Outcome' })
class OutcomeBody {
  @ApiProperty({ description: 'Why the run settled.' })
  reason: string;

  @ApiProperty()
  truncated: boolean;

  @ApiPropertyOptional({ description: 'The final answer; not in lists.' })
  content?: string;

  @ApiPropertyOptional({ description: 'The final answer is kept no longer.' })
  contentErased?: true;
}

@ApiSchema({ name: 'QueuePlace' })
class QueuePlaceBody {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MOST_AHEAD,
    description: `How many runs may come before it, as things are. Owners take turns, so of each other owner there are at most as many as of its own, and one. ${MOST_AHEAD} stands for as many or more.`,
  })
  ahead: number;

  @ApiPropertyOptional({ ...time, description: 'Where it is tried again after a failure: not before then.' })
  notBefore?: string;
}

@ApiSchema({ name: 'Erasure' })
class ErasureBody {
  @ApiProperty()
  working: boolean;

  @ApiProperty()
  outcome: boolean;
}

@ApiSchema({ name: 'Run' })
export class RunBody {
  @ApiProperty()
  id: string;

  @ApiProperty({ enum: RUN_STATUSES, enumName: 'RunStatus' })
  status: string;

  @ApiProperty({ type: 'integer' })
  revision: number;

  @ApiProperty()
  ownerId: string;

  @ApiProperty()
  configurationId: string;

  @ApiProperty({ type: 'integer' })
  iterations: number;

  @ApiProperty({ type: UsageBody })
  usage: UsageBody;

  @ApiProperty(time)
  createdAt: string;

  @ApiProperty(time)
  updatedAt: string;

  @ApiPropertyOptional({ type: PauseSummaryBody, description: 'While the run waits.' })
  pause?: PauseSummaryBody;

  @ApiPropertyOptional({ type: QueuePlaceBody, description: 'While the run is queued; not in lists.' })
  queue?: QueuePlaceBody;

  @ApiPropertyOptional({ type: OutcomeBody, description: 'Once the run is settled.' })
  outcome?: OutcomeBody;

  @ApiPropertyOptional({ type: ErasureBody, description: 'Once content of the run was erased.' })
  erased?: ErasureBody;
}

@ApiSchema({ name: 'RunList' })
export class RunListBody {
  @ApiProperty({ type: [RunBody] })
  items: RunBody[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}

/** What a command on a run came to. */
@ApiSchema({ name: 'AcceptedRun' })
export class AcceptedRunBody {
  @ApiProperty()
  id: string;

  @ApiProperty({ enum: RUN_STATUSES, enumName: 'RunStatus' })
  status: string;

  @ApiProperty({ type: 'integer' })
  revision: number;
}

const submission = { enum: ['accepted', 'replayed'] };
const ignoredKeys = 'Pointers to keys that no schema declares; they were not taken.';

@ApiSchema({ name: 'AcceptedSubmission' })
export class AcceptedSubmissionBody extends AcceptedRunBody {
  @ApiProperty(submission)
  submission: string;

  @ApiPropertyOptional({ type: [String], description: ignoredKeys })
  ignoredKeys?: string[];
}

@ApiSchema({ name: 'AnsweredRun' })
export class AnsweredRunBody extends RunBody {
  @ApiProperty(submission)
  submission: string;

  @ApiPropertyOptional({ type: [String], description: ignoredKeys })
  ignoredKeys?: string[];
}
