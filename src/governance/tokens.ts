import { createHash, timingSafeEqual } from 'node:crypto';
import type { Entropy } from '../event-store/entropy.js';

/*
 * A token reads `hp.<principal>.<token id>.<secret>`: it names the record that knows it, so that one look-up is enough,
 * and only its hash is ever stored. The token of the first start may be any text instead; it belongs to one place.
 */

/** Where a token is recorded. */
export interface TokenPlace {
  readonly principalId: string;
  readonly tokenId: string;
}

/** Where the token of the first start is. */
export const BOOTSTRAP_PLACE: TokenPlace = { principalId: 'admin', tokenId: 'bootstrap' };

export interface NewToken extends TokenPlace {
  /** To be told once. */
  readonly token: string;
  readonly hash: string;
}

const PREFIX = 'hp.';
const FORM = /^hp\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;
const TOKEN_ID_BYTES = 9;
const SECRET_BYTES = 32;

export function newTokenId(entropy: Entropy): string {
  return entropy.token(TOKEN_ID_BYTES);
}

/** A fresh token with 256 random bits. */
export function makeToken(entropy: Entropy, principalId: string, tokenId = newTokenId(entropy)): NewToken {
  const token = `${PREFIX}${principalId}.${tokenId}.${entropy.token(SECRET_BYTES)}`;
  return { principalId, tokenId, token, hash: hashOfToken(token) };
}

/** Lower-case hex SHA-256. Enough for what cannot be guessed; the token of the first start is the operator's to choose well. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Where a presented token would be recorded, if it is one at all. */
export function placeOfToken(token: string): TokenPlace {
  const [, principalId, tokenId] = FORM.exec(token) ?? [];
  return principalId === undefined || tokenId === undefined ? BOOTSTRAP_PLACE : { principalId, tokenId };
}

/** In the same time whatever differs, and whether or not there is anything to compare with. */
export function isHashOf(token: string, hash: string | undefined): boolean {
  const presented = Buffer.from(hashOfToken(token), 'hex');
  const known = Buffer.from(hash ?? NO_TOKEN_HASH, 'hex');
  return timingSafeEqual(presented, known) && hash !== undefined;
}

const NO_TOKEN_HASH = '0'.repeat(64);
