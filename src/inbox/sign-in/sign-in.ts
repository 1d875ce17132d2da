import { Injectable } from '@nestjs/common';
import { Principals } from '../../governance/principals.js';
import { type Session, Sessions } from '../../governance/sessions.js';
import { SignInLinks } from '../../governance/sign-in-links.js';
import { hashOfSubject } from '../../governance/subject-record.js';
import { placeOfToken } from '../../governance/tokens.js';
import { IssuerSignIn } from '../../openid/issuer-sign-in.js';
import { IssuerUnavailable } from '../../openid/issuer-unavailable.js';

/**
 * Why nobody is signed in. `token`, `link`: not a good one, or of somebody who may not sign in. `refused`: the issuer
 * said no. `invalid`: what came back from the issuer belongs to no attempt of this browser, or was used before. `unknown`:
 * the issuer knows them and we do not, or they may not sign in. `issuer_unavailable`: the issuer did not answer.
 * `limited`: too many who came from there were let down already.
 */
export type SignInFailure = 'token' | 'link' | 'refused' | 'invalid' | 'unknown' | 'issuer_unavailable' | 'limited';

export type SignInOutcome =
  | { readonly outcome: 'signed_in'; readonly session: Session; readonly returnTo: string }
  | { readonly outcome: Exclude<SignInFailure, 'token' | 'link' | 'limited'> };

/** The ways into the inbox: each checks something and begins a session. */
@Injectable()
export class SignIn {
  constructor(
    private readonly principals: Principals,
    private readonly sessions: Sessions,
    private readonly links: SignInLinks,
    private readonly issuer: IssuerSignIn,
  ) {}

  /** By a token of a principal. Null for one that is worth nothing, or whose principal may not sign in. @throws {StoreUnavailable} */
  async withToken(token: string, correlationId: string): Promise<Session | null> {
    const principal = await this.principals.authenticate(token);
    if (principal === null) return null;
    const { tokenId } = placeOfToken(token);
    return await this.sessions.begin(principal.id, { kind: 'token', tokenId }, correlationId);
  }

  /** By a link, which is used up. Null for one that is worth nothing. @throws {StoreUnavailable} */
  async withLink(secret: string, correlationId: string): Promise<Session | null> {
    const principalId = await this.links.use(secret, correlationId);
    return principalId === null ? null : await this.sessions.begin(principalId, { kind: 'link' }, correlationId);
  }

  /** Whether the issuer is a way in. */
  get offersIssuer(): boolean {
    return this.issuer.isOffered;
  }

  /**
   * The way to the issuer.
   *
   * @returns where the browser goes, and what it has to bring back; null while the issuer is away
   */
  async begin(returnTo: string): Promise<{ readonly location: string; readonly sealedAttempt: string } | null> {
    try {
      return await this.issuer.begin(returnTo);
    } catch (error) {
      if (error instanceof IssuerUnavailable) return null;
      throw error;
    }
  }

  /**
   * The way back.
   *
   * @param search the query with which the browser came back
   * @param sealedAttempt what it brought along; undefined: nothing
   * @throws {StoreUnavailable}
   */
  async finish(search: string, sealedAttempt: string | undefined, correlationId: string): Promise<SignInOutcome> {
    const finished = await this.askIssuer(search, sealedAttempt);
    if (finished.outcome !== 'identified') return finished;
    const { subject, returnTo } = finished;
    const principal = await this.principals.withSubject(subject);
    if (principal === null) return { outcome: 'unknown' };
    const credential = { kind: 'subject', hash: hashOfSubject(subject) } as const;
    const session = await this.sessions.begin(principal.id, credential, correlationId);
    return session === null ? { outcome: 'unknown' } : { outcome: 'signed_in', session, returnTo };
  }

  private async askIssuer(search: string, sealedAttempt: string | undefined) {
    try {
      return await this.issuer.finish(search, sealedAttempt);
    } catch (error) {
      if (error instanceof IssuerUnavailable) return { outcome: 'issuer_unavailable' as const };
      throw error;
    }
  }
}
