import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { IssuerUnavailable } from './issuer-unavailable.js';
import type { ClientSettings, IssuerSettings } from './openid-settings.js';
import type { SignInAttempt } from './sign-in-attempt.js';

/** `refused`: the issuer says no, or the person did. `invalid`: what came back does not belong to this attempt. */
export type SignInFault = 'refused' | 'invalid';

export type Identified =
  | { readonly outcome: 'identified'; readonly subject: string }
  | { readonly outcome: SignInFault };

export interface CodeFlowSettings extends Pick<IssuerSettings, 'issuer' | 'clockSkewSeconds'> {
  readonly client: ClientSettings;
  /** Where the issuer sends people back to; it was registered there. */
  readonly redirectUri: string;
}

const TIMEOUT_SECONDS = 5;

/** What the issuer says of itself is read again after this time. */
const REDISCOVER_AFTER_MS = 60 * 60_000;

/** Faults of the way to the issuer, not of what came back. */
const AWAY = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** The authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, section 3.1). */
export class CodeFlow {
  private known: { readonly configuration: Promise<Configuration>; readonly readAtMs: number } | undefined;

  /** @param now epoch milliseconds */
  constructor(
    private readonly settings: CodeFlowSettings,
    private readonly now: () => number,
  ) {}

  /**
   * @returns where to send the browser, and what has to be there when it comes back
   * @throws {IssuerUnavailable}
   */
  async begin(returnTo: string): Promise<{ readonly location: string; readonly attempt: SignInAttempt }> {
    const configuration = await this.configuration();
    const attempt = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier(), returnTo };
    const location = buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { location: location.href, attempt };
  }

  /**
   * @param search the query with which the browser came back
   * @throws {IssuerUnavailable} the code may still be good: the person signs in again
   */
  async finish(search: string, attempt: SignInAttempt): Promise<Identified> {
    const configuration = await this.configuration();
    const cameTo = new URL(this.settings.redirectUri);
    cameTo.search = search;
    try {
      const tokens = await authorizationCodeGrant(configuration, cameTo, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.codeVerifier,
        idTokenExpected: true,
      });
      const subject = tokens.claims()?.sub;
      return subject === undefined ? { outcome: 'invalid' } : { outcome: 'identified', subject };
    } catch (error) {
      return { outcome: faultOf(error) };
    }
  }

  private configuration(): Promise<Configuration> {
    const { known } = this;
    if (known !== undefined && this.now() - known.readAtMs < REDISCOVER_AFTER_MS) return known.configuration;
    const configuration = this.discover();
    const reading = { configuration, readAtMs: this.now() };
    this.known = reading;
    configuration.catch(() => {
      // The next one asks again.
      if (this.known === reading) this.known = undefined;
    });
    return configuration;
  }

  private async discover(): Promise<Configuration> {
    const { issuer, client, clockSkewSeconds } = this.settings;
    const authentication = client.secret === undefined ? None() : ClientSecretBasic(client.secret);
    // Only an issuer on this machine has such an address.
    const inTheClear = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
    try {
      const configuration = await discovery(
        new URL(issuer),
        client.id,
        { [clockTolerance]: clockSkewSeconds },
        authentication,
        // The signature of the ID token is checked too, though it comes over a connection to the issuer itself.
        { execute: [...inTheClear, enableNonRepudiationChecks], timeout: TIMEOUT_SECONDS },
      );
      if (configuration.serverMetadata().issuer !== issuer) throw new Error('another issuer answered');
      return configuration;
    } catch (error) {
      throw new IssuerUnavailable('the issuer cannot be discovered', { cause: error });
    }
  }
}

/** @throws {IssuerUnavailable} the issuer did not answer at all */
function faultOf(error: unknown): SignInFault {
  if (error instanceof AuthorizationResponseError) return 'refused';
  if (isAway(error)) throw new IssuerUnavailable('the issuer did not answer', { cause: error });
  if (error instanceof ResponseBodyError || error instanceof ClientError) return 'invalid';
  throw error;
}

function isAway(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  if (error instanceof ClientError) return AWAY.has(error.code ?? '');
  // A request that got no answer fails so; errors of use have a code.
  return error instanceof TypeError && (error as { code?: unknown }).code === undefined;
}
