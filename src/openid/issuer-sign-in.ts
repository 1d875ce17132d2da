import { CodeFlow, type SignInFault } from './code-flow.js';
import type { IssuerSettings } from './openid-settings.js';
import { AttemptSeal } from './sign-in-attempt.js';

export type FinishedSignIn =
  | { readonly outcome: 'identified'; readonly subject: string; readonly returnTo: string }
  | { readonly outcome: SignInFault };

/** Signing in by the issuer, where there is one that knows this service as its client. */
export class IssuerSignIn {
  constructor(private readonly parts: { readonly flow: CodeFlow; readonly seal: AttemptSeal } | null) {}

  get isOffered(): boolean {
    return this.parts !== null;
  }

  /**
   * @param returnTo where the person wants to go
   * @returns where the browser goes, and what it brings back with the issuer's answer
   * @throws {IssuerUnavailable}
   */
  async begin(returnTo: string): Promise<{ readonly location: string; readonly sealedAttempt: string }> {
    const { flow, seal } = this.required();
    const { location, attempt } = await flow.begin(returnTo);
    return { location, sealedAttempt: await seal.seal(attempt) };
  }

  /**
   * @param search the query with which the browser came back
   * @param sealedAttempt what it brought along; undefined: nothing
   * @throws {IssuerUnavailable}
   */
  async finish(search: string, sealedAttempt: string | undefined): Promise<FinishedSignIn> {
    const { flow, seal } = this.required();
    const attempt = sealedAttempt === undefined ? null : await seal.open(sealedAttempt);
    if (attempt === null) return { outcome: 'invalid' };
    const identified = await flow.finish(search, attempt);
    return identified.outcome === 'identified' ? { ...identified, returnTo: attempt.returnTo } : identified;
  }

  private required() {
    if (this.parts === null) throw new Error('nobody signs in by an issuer that there is not');
    return this.parts;
  }
}

/**
 * @param settings undefined, or without a client: there is no such sign-in
 * @param redirectUri where the issuer sends people back to
 * @param sealingKey 32 bytes, the same in every process
 * @param now epoch milliseconds
 */
export function issuerSignInOf(
  settings: IssuerSettings | undefined,
  redirectUri: string | null,
  sealingKey: Uint8Array,
  now: () => number,
): IssuerSignIn {
  if (settings?.client === undefined || redirectUri === null) return new IssuerSignIn(null);
  const { issuer, clockSkewSeconds, client } = settings;
  const flow = new CodeFlow({ issuer, clockSkewSeconds, client, redirectUri }, now);
  return new IssuerSignIn({ flow, seal: new AttemptSeal(sealingKey, now) });
}
