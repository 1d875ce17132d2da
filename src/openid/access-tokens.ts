import { Logger } from '@nestjs/common';
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { describeFailure } from '../logging/describe-failure.js';
import { IssuerKeys } from './issuer-keys.js';
import { KeyDocument } from './key-document.js';
import type { IssuerSettings } from './openid-settings.js';

/** Signatures that only the issuer can make: none with a shared secret, and none without a key. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** `at+jwt` (RFC 9068), or what issuers wrote before it. Whatever says that it is something else is something else. */
const TYPES: readonly (string | undefined)[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];

/** Claims of an ID token, which is for the client that asked for it and says nothing to an interface. */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash', 's_hash'];

const LONGEST_SUBJECT = 255;

/** Characters of a token; what is longer is not looked at. */
const LONGEST_ACCESS_TOKEN = 8_192;

/** The access tokens of the issuer, where there is one. */
export class AccessTokens {
  private readonly logger = new Logger('AccessTokens');

  /**
   * @param issuer null: there is none, so no token is one of its
   * @param now epoch milliseconds
   */
  constructor(
    private readonly issuer: { readonly settings: IssuerSettings; readonly keyFor: JWTVerifyGetKey } | null,
    private readonly now: () => number,
  ) {}

  /**
   * The `sub` of a token that the issuer made for this interface and that holds at this moment; null for any other one.
   *
   * @throws {IssuerUnavailable} the key that it was signed with is not known, and the issuer cannot be asked
   */
  async subjectOf(token: string): Promise<string | null> {
    if (this.issuer === null || token.length > LONGEST_ACCESS_TOKEN) return null;
    const { settings, keyFor } = this.issuer;
    try {
      // Asked before the keys are: a token of another issuer is no reason to ask this one for keys.
      if (decodeJwt(token).iss !== settings.issuer) throw new NotForUs('iss');
      const verified = await jwtVerify(token, keyFor, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: ALGORITHMS,
        clockTolerance: settings.clockSkewSeconds,
        currentDate: new Date(this.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return this.subjectIn(verified, settings);
    } catch (error) {
      if (!(error instanceof errors.JOSEError || error instanceof NotForUs)) throw error;
      this.logger.debug({ fault: faultOf(error) }, 'An access token was refused');
      return null;
    }
  }

  private subjectIn({ payload, protectedHeader }: JWTVerifyResult, settings: IssuerSettings): string {
    if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw new NotForUs('typ');
    if (isIdToken(payload, settings)) throw new NotForUs('aud');
    // It is bound to a key of its bearer (RFC 7800), which a bearer token does not show.
    if (payload.cnf !== undefined) throw new NotForUs('cnf');
    const { iat, sub } = payload;
    const latest = this.now() / 1_000 + settings.clockSkewSeconds;
    if (iat !== undefined && iat > latest) throw new NotForUs('iat');
    if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST_SUBJECT) throw new NotForUs('sub');
    return sub;
  }
}

function isIdToken(payload: JWTPayload, { client }: IssuerSettings): boolean {
  const audiences = [payload.aud].flat();
  return (client !== undefined && audiences.includes(client.id)) || ID_TOKEN_CLAIMS.some((name) => name in payload);
}

/** @param settings undefined: there is no issuer @param now epoch milliseconds */
export function accessTokensOf(settings: IssuerSettings | undefined, now: () => number): AccessTokens {
  if (settings === undefined) return new AccessTokens(null, now);
  const document = new KeyDocument(settings);
  const logger = new Logger('IssuerKeys');
  const keys = new IssuerKeys(
    () => document.read(),
    now,
    (failure) => logger.warn({ ...describeFailure(failure) }, 'The keys of the OpenID issuer could not be read'),
  );
  return new AccessTokens({ settings, keyFor: keys.keyFor }, now);
}

/** Correctly signed, and yet nothing that lets anybody in here. */
class NotForUs extends Error {
  constructor(readonly claim: string) {
    super(claim);
  }
}

/** For the operator, from a closed list: nothing of the token itself. */
function faultOf(error: errors.JOSEError | NotForUs): string {
  if (error instanceof NotForUs) return error.claim;
  return error instanceof errors.JWTClaimValidationFailed ? error.claim : error.code;
}
