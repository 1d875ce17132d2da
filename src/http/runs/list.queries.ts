import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, MaxLength, ValidateIf } from 'class-validator';
import type { ListInbox } from '../../projections/runs/list-inbox.query.js';
import { IsOneOf, IsRecordId } from '../body/form-rules.js';
import { invalidRequest } from '../problems/problem.js';
import { RUN_STATUSES } from './run.body.js';

/** In an address an empty value is one that was not given: `?status=&ownerId=` asks for nothing. */
export const Given = () => ValidateIf((_form, value) => value !== undefined && value !== '');

const LONGEST_CURSOR = 200;
const LARGEST_PAGE = 200;
const LARGEST_TIMELINE_PAGE = 1_000;

const pageSizeRule = (largest: number) => `must be a whole number from 1 to ${largest}`;

function IsPageSize(largest: number): PropertyDecorator {
  return Matches(/^[1-9]\d{0,3}$/, { message: pageSizeRule(largest) });
}

export class PageQuery {
  @Given()
  @IsPageSize(LARGEST_PAGE)
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: 50 })
  limit?: string;

  @Given()
  @Matches(/^[A-Za-z0-9_-]+$/, { message: 'must be a `nextCursor` of this list' })
  @MaxLength(LONGEST_CURSOR, { message: 'must be a `nextCursor` of this list' })
  @ApiPropertyOptional({ description: '`nextCursor` of the page before.' })
  cursor?: string;
}

export class ListInboxQuery extends PageQuery {}

export class ListRunsQuery extends PageQuery {
  @Given()
  @IsOneOf(RUN_STATUSES)
  @ApiPropertyOptional({ enum: RUN_STATUSES, enumName: 'RunStatus' })
  status?: (typeof RUN_STATUSES)[number] | '';

  @Given()
  @IsRecordId()
  @ApiPropertyOptional()
  ownerId?: string;

  @Given()
  @IsRecordId()
  @ApiPropertyOptional()
  configurationId?: string;
}

export class TimelineQuery {
  @Given()
  @Matches(/^\d{1,15}$/, { message: 'must be a sequence' })
  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'Only events behind this sequence.' })
  after?: string;

  @Given()
  @IsPageSize(LARGEST_TIMELINE_PAGE)
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: LARGEST_TIMELINE_PAGE, default: LARGEST_TIMELINE_PAGE })
  limit?: string;
}

export function pageRequest({ limit, cursor }: PageQuery): ListInbox['request'] {
  return { ...(limit ? { limit: within(limit, LARGEST_PAGE) } : {}), ...(cursor ? { cursor } : {}) };
}

export function runFilter({ status, ownerId, configurationId }: ListRunsQuery) {
  return {
    ...(status ? { status } : {}),
    ...(ownerId ? { ownerId } : {}),
    ...(configurationId ? { configurationId } : {}),
  };
}

export function timelinePart({ after, limit }: TimelineQuery): { readonly after: number; readonly limit: number } {
  return {
    after: after ? Number(after) : -1,
    limit: limit ? within(limit, LARGEST_TIMELINE_PAGE) : LARGEST_TIMELINE_PAGE,
  };
}

function within(limit: string, largest: number): number {
  if (Number(limit) <= largest) return Number(limit);
  throw invalidRequest([{ pointer: '/limit', message: pageSizeRule(largest) }]);
}
