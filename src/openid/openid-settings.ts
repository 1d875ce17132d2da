/** The one issuer whose tokens are taken. */
export interface IssuerSettings {
  /** Compared with `iss` character by character. */
  readonly issuer: string;
  /** What the `aud` of an access token must name. */
  readonly audience: string;
  /** Undefined: the issuer says it in its discovery document. */
  readonly jwksUri: string | undefined;
  readonly clockSkewSeconds: number;
  /** Undefined: nobody signs in by the issuer. */
  readonly client: ClientSettings | undefined;
}

/** What the issuer knows this service as. */
export interface ClientSettings {
  readonly id: string;
  /** Undefined: a public client. */
  readonly secret: string | undefined;
}
