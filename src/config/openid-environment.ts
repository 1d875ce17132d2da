import { z } from 'zod';
import { variable, wholeNumber } from './variables.js';

/** The OpenID issuer whose tokens are taken, and by which people may sign in to the inbox. */
export interface OpenIdEnvironment {
  /** Compared with the `iss` of a token character by character. */
  readonly issuer: string;
  /** What the `aud` of an access token must name. */
  readonly audience: string;
  /** Undefined: the issuer says it in its discovery document. */
  readonly jwksUri: string | undefined;
  /** By how much the clocks of the issuer and of this machine may differ. */
  readonly clockSkewSeconds: number;
  /** Undefined: nobody signs in to the inbox by the issuer. */
  readonly client: OpenIdClientEnvironment | undefined;
  /** The first administrator's `sub`. */
  readonly bootstrapSubject: string | undefined;
}

export interface OpenIdClientEnvironment {
  readonly id: string;
  /** Undefined: a public client, which has PKCE alone. */
  readonly secret: string | undefined;
}

const MOST_SKEW_SECONDS = 300;
const VISIBLE = /^[\x21-\x7e]{1,255}$/;
const VISIBLE_MESSAGE = 'must have 1 to 255 visible ASCII characters without blanks';
const ADDRESS_MESSAGE =
  'must be an https:// address without user info, query and fragment; http:// only on this machine (localhost, 127.0.0.1, [::1])';

function visible() {
  return variable(z.string().regex(VISIBLE, VISIBLE_MESSAGE).optional());
}

export const OPENID_VARIABLES = {
  HOLDPOINT_OIDC_ISSUER: variable(z.string().refine(isIssuerAddress, ADDRESS_MESSAGE).optional()),
  HOLDPOINT_OIDC_AUDIENCE: visible(),
  HOLDPOINT_OIDC_JWKS_URI: variable(z.string().refine(isIssuerAddress, ADDRESS_MESSAGE).optional()),
  HOLDPOINT_OIDC_CLOCK_SKEW_SECONDS: wholeNumber(0, MOST_SKEW_SECONDS, 30),
  HOLDPOINT_OIDC_CLIENT_ID: visible(),
  HOLDPOINT_OIDC_CLIENT_SECRET: variable(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,1024}$/, 'must be text in ASCII')
      .optional(),
  ),
  HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT: visible(),
};

type OpenIdVariables = z.infer<z.ZodObject<typeof OPENID_VARIABLES>>;

/** What only makes sense beside something else: the variable at fault, and what it lacks. */
export function openIdFaults(
  read: OpenIdVariables & { readonly HOLDPOINT_BASE_URL?: string | undefined },
): [name: keyof OpenIdVariables, message: string][] {
  const faults: [keyof OpenIdVariables, string][] = [];
  const needs = (name: keyof OpenIdVariables, other: keyof typeof read) => {
    if (read[name] !== undefined && read[other] === undefined) faults.push([name, `must have ${other} beside it`]);
  };
  needs('HOLDPOINT_OIDC_ISSUER', 'HOLDPOINT_OIDC_AUDIENCE');
  needs('HOLDPOINT_OIDC_AUDIENCE', 'HOLDPOINT_OIDC_ISSUER');
  needs('HOLDPOINT_OIDC_JWKS_URI', 'HOLDPOINT_OIDC_ISSUER');
  needs('HOLDPOINT_OIDC_CLIENT_ID', 'HOLDPOINT_OIDC_ISSUER');
  // The issuer sends people back to an address that was registered there; that of a request could be anything.
  needs('HOLDPOINT_OIDC_CLIENT_ID', 'HOLDPOINT_BASE_URL');
  needs('HOLDPOINT_OIDC_CLIENT_SECRET', 'HOLDPOINT_OIDC_CLIENT_ID');
  needs('HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT', 'HOLDPOINT_OIDC_ISSUER');
  if (read.HOLDPOINT_OIDC_AUDIENCE !== undefined && read.HOLDPOINT_OIDC_AUDIENCE === read.HOLDPOINT_OIDC_CLIENT_ID) {
    // The client's id is the audience of ID tokens, which would then pass as access tokens.
    faults.push(['HOLDPOINT_OIDC_AUDIENCE', 'must not be HOLDPOINT_OIDC_CLIENT_ID']);
  }
  return faults;
}

export function openIdOf(read: OpenIdVariables): OpenIdEnvironment | undefined {
  const { HOLDPOINT_OIDC_ISSUER: issuer, HOLDPOINT_OIDC_AUDIENCE: audience, HOLDPOINT_OIDC_CLIENT_ID: id } = read;
  if (issuer === undefined || audience === undefined) return undefined;
  return {
    issuer,
    audience,
    jwksUri: read.HOLDPOINT_OIDC_JWKS_URI,
    clockSkewSeconds: read.HOLDPOINT_OIDC_CLOCK_SKEW_SECONDS,
    client: id === undefined ? undefined : { id, secret: read.HOLDPOINT_OIDC_CLIENT_SECRET },
    bootstrapSubject: read.HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT,
  };
}

function isIssuerAddress(text: string): boolean {
  if (!/^https?:\/\/[^?#\s]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  // Keys that came over an open network would be anybody's.
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
