import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';
import { Optional } from '../body/form-rules.js';
import { BodyMayBeAbsent } from '../body/free-part.js';

const TIME = { message: 'must be a time of RFC 3339, such as 2030-01-31T12:00:00Z' };

@BodyMayBeAbsent()
export class IssueTokenBody {
  @Optional()
  @Matches(/^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$/, {
    message: 'must have 1 to 64 letters, digits, blanks or . _ @ -, and begin with a letter or digit',
  })
  @ApiPropertyOptional({ maxLength: 64, description: 'To tell tokens apart by; anybody who reads the log can see it.' })
  name?: string;

  @Optional()
  @IsISO8601({ strict: true, strictSeparator: true }, TIME)
  @Matches(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/, TIME)
  @ApiPropertyOptional({ format: 'date-time', description: 'Left out: the token lasts until it is revoked.' })
  expiresAt?: string;
}

/** RFC 3339 UTC with milliseconds; null: never. @param given as it was sent */
export function tokenExpiry(given: string | undefined): string | null {
  return given === undefined ? null : new Date(given).toISOString();
}

/** A token as it is told, once. */
export class IssuedTokenBody {
  @ApiProperty({ description: 'Send it as `Authorization: Bearer <token>`. It cannot be read again.' })
  token: string;

  @ApiProperty()
  tokenId: string;

  @ApiProperty({ type: String, nullable: true })
  name: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt: string | null;
}

/** A token as it is listed: everything but the token. */
export class ListedTokenBody {
  @ApiProperty()
  tokenId: string;

  @ApiProperty({ type: String, nullable: true })
  name: string | null;

  @ApiProperty({ format: 'date-time' })
  issuedAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'To about a minute; null: never, as far as is known.',
  })
  lastUsedAt: string | null;
}

export class TokenListBody {
  @ApiProperty({ type: [ListedTokenBody] })
  items: ListedTokenBody[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: a principal has few tokens.' })
  nextCursor: string | null;
}
