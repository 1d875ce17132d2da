import type { JSONWebKeySet } from 'jose';
import { fetchJson } from './fetch-json.js';
import { IssuerUnavailable } from './issuer-unavailable.js';
import type { IssuerSettings } from './openid-settings.js';

const BOUNDS = { timeoutMs: 5_000, mostBytes: 256 * 1024 };

/** Where the keys of the issuer are read. */
export class KeyDocument {
  /** Where the keys are, once the issuer said it. */
  private place: string | undefined;

  constructor(private readonly settings: Pick<IssuerSettings, 'issuer' | 'jwksUri'>) {}

  /** @throws {IssuerUnavailable} */
  async read(): Promise<JSONWebKeySet> {
    try {
      this.place ??= this.settings.jwksUri ?? (await this.discover());
      return (await fetchJson(this.place, BOUNDS)) as JSONWebKeySet;
    } catch (error) {
      // The keys may have moved: the next time, the issuer is asked again where they are.
      this.place = undefined;
      throw error;
    }
  }

  /** OpenID Connect Discovery 1.0, section 4: the document names the very issuer that was asked. */
  private async discover(): Promise<string> {
    const { issuer } = this.settings;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = (await fetchJson(url, BOUNDS)) as {
      readonly issuer?: unknown;
      readonly jwks_uri?: unknown;
    } | null;
    const { issuer: named, jwks_uri: place } = document ?? {};
    if (named !== issuer || typeof place !== 'string' || !isAsSafeAs(issuer, place)) {
      throw new IssuerUnavailable('the discovery document is not that of the issuer');
    }
    return place;
  }
}

/** Keys that are fetched in the clear are anybody's; only an issuer on this machine may do so itself. */
function isAsSafeAs(issuer: string, place: string): boolean {
  return URL.canParse(place) && (place.startsWith('https://') || new URL(place).origin === new URL(issuer).origin);
}
