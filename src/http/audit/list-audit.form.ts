import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';
import { AUDIT_KINDS, type ListAudit } from '../../projections/audit/list-audit.query.js';
import { IsOneOf, IsRecordId } from '../body/form-rules.js';
import { Given, PageQuery, pageRequest } from '../runs/list.queries.js';

const TIME = { message: 'must be a time of RFC 3339, such as 2030-01-31T12:00:00Z' };

function IsTime(): PropertyDecorator {
  const rules = [
    IsISO8601({ strict: true, strictSeparator: true }, TIME),
    Matches(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/, TIME),
  ];
  return (target, property) => {
    for (const rule of rules) rule(target, property as string);
  };
}

export class ListAuditQuery extends PageQuery {
  @Given()
  @IsRecordId()
  @ApiPropertyOptional()
  runId?: string;

  @Given()
  @Matches(/^[A-Za-z0-9_.:@-]{1,200}$/, { message: 'must be the id of an actor' })
  @ApiPropertyOptional({ description: 'Of the principal, or of the worker for a release.' })
  actorId?: string;

  @Given()
  @IsOneOf(AUDIT_KINDS)
  @ApiPropertyOptional({ enum: AUDIT_KINDS, enumName: 'AuditKind' })
  kind?: string;

  @Given()
  @IsTime()
  @ApiPropertyOptional({ format: 'date-time', description: 'Inclusive.' })
  from?: string;

  @Given()
  @IsTime()
  @ApiPropertyOptional({ format: 'date-time', description: 'Exclusive.' })
  to?: string;
}

export function auditRequest({ runId, actorId, kind, from, to, ...page }: ListAuditQuery): ListAudit['request'] {
  return {
    ...pageRequest(page),
    ...(runId ? { runId } : {}),
    ...(actorId ? { actorId } : {}),
    ...(kind ? { kind } : {}),
    ...(from ? { from: new Date(from).toISOString() } : {}),
    ...(to ? { to: new Date(to).toISOString() } : {}),
  };
}
