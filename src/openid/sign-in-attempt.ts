import { EncryptJWT, errors, jwtDecrypt } from 'jose';

/** What has to be remembered between the way to the issuer and the way back. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: whoever has seen the code that comes back cannot use it without this. */
  readonly codeVerifier: string;
  /** Where the person wanted to go. */
  readonly returnTo: string;
}

/** How long somebody may take to sign in at the issuer. */
export const ATTEMPT_LIFETIME_SECONDS = 600;

const MEMBERS = ['state', 'nonce', 'codeVerifier', 'returnTo'] as const;

/**
 * Seals attempts for the browser to keep: whoever has not signed in yet must not be able to write to the log, and the
 * way back may lead to another process than the way out.
 */
export class AttemptSeal {
  /** @param key 32 bytes, the same in every process @param now epoch milliseconds */
  constructor(
    private readonly key: Uint8Array,
    private readonly now: () => number,
  ) {}

  /** A compact JWE. */
  async seal({ state, nonce, codeVerifier, returnTo }: SignInAttempt): Promise<string> {
    return await new EncryptJWT({ state, nonce, codeVerifier, returnTo })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(Math.floor(this.now() / 1_000) + ATTEMPT_LIFETIME_SECONDS)
      .encrypt(this.key);
  }

  /** Null for whatever was not sealed here, or too long ago. */
  async open(sealed: string): Promise<SignInAttempt | null> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
        currentDate: new Date(this.now()),
      });
      return MEMBERS.every((name) => typeof payload[name] === 'string') ? (payload as unknown as SignInAttempt) : null;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}
