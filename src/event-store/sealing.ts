import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../events/json.js';
import { type DataKey, KEY_SCOPES, type KeyScope, keyId, type StreamKeys } from './key-store.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_KEY_BYTES = 32;

/** Takes the place of content whose key was destroyed (SEA-2). */
export const ERASED: unique symbol = Symbol('erased');

export interface SealedPlace {
  readonly stream: string;
  readonly eventId: string;
}

/** Sealed content that does not open: it was changed, or it belongs to another event. Says nothing of the content. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  constructor({ stream, eventId }: SealedPlace) {
    super(`sealed content of event ${eventId} in ${stream} does not open`);
  }
}

/**
 * Seals content for one event: a JWE in compact form (RFC 7516; `dir`, A256GCM) whose protected header names key, stream
 * and event, so that it opens nowhere else (SEA-1). An event has one sealed member, hence the field needs no name.
 *
 * By `node:crypto`, synchronously: this is the hottest path, and `jose` takes several times as long.
 */
export function seal(content: JsonObject, place: SealedPlace & { readonly key: DataKey }): string {
  const { stream, eventId, key } = place;
  const members = { alg: 'dir', enc: 'A256GCM', kid: key.id, stream, event: eventId };
  const header = base64url(Buffer.from(JSON.stringify(members)));
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key.secret, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(header, 'ascii'));
  // GCM is a stream cipher: `final` adds no bytes, it only completes the tag.
  const ciphertext = cipher.update(JSON.stringify(content), 'utf8');
  cipher.final();
  const parts = [header, '', base64url(iv), base64url(ciphertext), base64url(cipher.getAuthTag())];
  return parts.join('.');
}

/**
 * The content that was sealed for this event, or {@link ERASED} when its key is gone.
 *
 * @throws {SealBroken} it was sealed for another event, or changed since.
 */
export function open(sealed: string, place: SealedPlace & { readonly keys: StreamKeys }): JsonObject | typeof ERASED {
  const [header, noEncryptedKey, iv, ciphertext, tag, ...more] = sealed.split('.');
  if (header === undefined || noEncryptedKey !== '' || more.length > 0) throw new SealBroken(place);
  const scope = scopeNamedBy(header, place);
  const [ivBytes, sealedBytes, tagBytes] = [decoded(iv), decoded(ciphertext), decoded(tag)];
  if (scope === undefined || ivBytes?.length !== IV_BYTES || !sealedBytes || tagBytes?.length !== TAG_BYTES) {
    throw new SealBroken(place);
  }
  const key = place.keys[scope];
  if (key === undefined) return ERASED;
  const decipher = createDecipheriv(CIPHER, key.secret, ivBytes, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(header, 'ascii'));
  decipher.setAuthTag(tagBytes);
  let content: JsonValue;
  try {
    // The driver's and the parser's own errors are left out: a parser quotes what it reads.
    content = JSON.parse(decipher.update(sealedBytes, undefined, 'utf8') + decipher.final('utf8'));
  } catch {
    throw new SealBroken(place);
  }
  if (!isJsonObject(content)) throw new SealBroken(place);
  return content;
}

/**
 * A digest that only the holder of the key can compute or test (HMAC-SHA-256, base64url): it recognises a repeated
 * answer without keeping it, and tells nothing once the key is destroyed. Each purpose has a key of its own, derived by
 * HKDF, so that digests of different purposes never match.
 */
export function keyedDigest(key: DataKey, purpose: string, bytes: string | Uint8Array): string {
  const derived = Buffer.from(hkdfSync('sha256', key.secret, '', `holdpoint digest ${purpose}`, DIGEST_KEY_BYTES));
  return createHmac('sha256', derived).update(bytes).digest('base64url');
}

/** The scope of the key that a header names, when the header is one of ours and names this very event. */
function scopeNamedBy(header: string, { stream, eventId }: SealedPlace): KeyScope | undefined {
  let named: unknown;
  try {
    named = JSON.parse(decoded(header)?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
  // A sixth member could give the others another meaning (`crit`, `zip`), so there may be none.
  if (!isJsonObject(named) || Object.keys(named).length !== 5) return undefined;
  if (named.alg !== 'dir' || named.enc !== 'A256GCM') return undefined;
  if (named.stream !== stream || named.event !== eventId) return undefined;
  return KEY_SCOPES.find((scope) => named.kid === keyId(stream, scope));
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

/** Base64url in its one canonical spelling, so that no change of a character goes unseen. */
function decoded(part: string | undefined): Buffer | undefined {
  if (part === undefined) return undefined;
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}
