import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, Matches } from 'class-validator';
import type { PrincipalDocument } from '../../governance/decisions/put-principal.js';
import { GRANTS, type Grant, type Principal, SCOPES, type Scope } from '../../governance/principal.js';
import { IsListOf, IsOneOf, Optional } from '../body/form-rules.js';

const KINDS = ['person', 'service_account'] as const;
const trueOrFalse = { message: 'must be true or false' };

export class PrincipalBody {
  @IsOneOf(KINDS)
  @ApiProperty({ enum: KINDS })
  kind: (typeof KINDS)[number];

  @IsBoolean(trueOrFalse)
  @ApiProperty()
  enabled: boolean;

  @Optional()
  @Matches(/^[\x21-\x7e]{1,255}$/, { message: 'must have 1 to 255 visible ASCII characters' })
  @ApiPropertyOptional({ description: '`sub` at the OpenID issuer.' })
  oidcSubject?: string;

  @Optional()
  @IsBoolean(trueOrFalse)
  @ApiPropertyOptional({ default: false, description: 'Counts for people only.' })
  admin?: boolean;

  @Optional()
  @IsListOf(GRANTS)
  @ApiPropertyOptional({ isArray: true, enum: GRANTS, description: 'Count for people only.' })
  grants?: Grant[];

  @Optional()
  @IsListOf(SCOPES)
  @ApiPropertyOptional({ isArray: true, enum: SCOPES, description: 'Count for service accounts only.' })
  scopes?: Scope[];
}

export function principalDocument(body: PrincipalBody): PrincipalDocument {
  return {
    kind: body.kind,
    enabled: body.enabled,
    admin: body.admin ?? false,
    grants: [...new Set(body.grants)],
    scopes: [...new Set(body.scopes)],
    oidcSubject: body.oidcSubject ?? null,
  };
}

/** The same as a body again, so that what was read can be edited and put back. */
export function principalBody({ kind, enabled, admin, grants, scopes, oidcSubject }: Omit<Principal, 'id'>): object {
  return { kind, enabled, admin, grants, scopes, ...(oidcSubject === null ? {} : { oidcSubject }) };
}
