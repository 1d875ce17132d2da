import { Injectable } from '@nestjs/common';
import type { Principal } from '../governance/principal.js';
import { Principals } from '../governance/principals.js';
import { TokenUse } from '../governance/token-use.js';
import { placeOfToken } from '../governance/tokens.js';
import { AccessTokens } from '../openid/access-tokens.js';

/** A token of the issuer is a JWT; none that was made here looks like one. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

/** Characters of a token that was made here, or given to the first start. */
const LONGEST_TOKEN = 1_024;

/** The two kinds of tokens that calls bring: those of principals, and access tokens of the OpenID issuer. */
@Injectable()
export class BearerTokens {
  constructor(
    private readonly principals: Principals,
    private readonly accessTokens: AccessTokens,
    private readonly use: TokenUse,
  ) {}

  /**
   * Who brought this token, as the directory has them now; null for a token that is worth nothing.
   *
   * @throws {StoreUnavailable} @throws {IssuerUnavailable}
   */
  async principalOf(token: string): Promise<Principal | null> {
    if (!JWT.test(token)) return token.length > LONGEST_TOKEN ? null : await this.ownerOf(token);
    const subject = await this.accessTokens.subjectOf(token);
    return subject === null ? null : await this.principals.withSubject(subject);
  }

  private async ownerOf(token: string): Promise<Principal | null> {
    const principal = await this.principals.authenticate(token);
    if (principal !== null) this.use.note(principal.id, placeOfToken(token).tokenId);
    return principal;
  }
}
