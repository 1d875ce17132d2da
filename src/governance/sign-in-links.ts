import { Injectable } from '@nestjs/common';
import { timestamp } from '../event-store/clock.js';
import { Streams } from '../event-store/streams.js';
import { accepted } from '../events/decider.js';
import type { SignInLinkEventType } from '../events/sign-in-events.js';
import { decideUseSignInLink } from './decisions/use-sign-in-link.js';
import { recordStream } from './records.js';
import { SIGN_IN_LINK } from './sign-in-link-record.js';
import { hashOfToken } from './tokens.js';

/** How long a link waits to be used. */
export const LINK_LIFETIME_MS = 24 * 60 * 60 * 1_000;

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Links that let somebody sign in once, without a token. */
@Injectable()
export class SignInLinks {
  constructor(private readonly streams: Streams) {}

  /**
   * @returns the secret of the link, 43 characters of base64url: told once, since only its hash is stored
   * @throws {StoreUnavailable}
   */
  async issue(principalId: string): Promise<string> {
    const secret = this.streams.entropy.token(SECRET_BYTES);
    const expiresAt = timestamp(this.streams.clock.now() + LINK_LIFETIME_MS);
    await this.streams.execute(
      recordStream(SIGN_IN_LINK, hashOfToken(secret)),
      SIGN_IN_LINK.fold,
      { actor: { kind: 'system', id: 'sign-in-link' }, correlationId: this.streams.entropy.uuid() },
      async () => null,
      () => accepted<SignInLinkEventType, object>([{ type: 'SignInLinkIssued', data: { principalId, expiresAt } }], {}),
    );
    return secret;
  }

  /**
   * Uses a link up.
   *
   * @returns whose it was; null for one that is unknown, used or too old, all of which look the same
   * @throws {StoreUnavailable}
   */
  async use(secret: string, correlationId: string): Promise<string | null> {
    if (!SECRET.test(secret)) return null;
    const executed = await this.streams.execute(
      recordStream(SIGN_IN_LINK, hashOfToken(secret)),
      SIGN_IN_LINK.fold,
      { actor: { kind: 'system', id: 'sign-in-link' }, correlationId },
      async () => ({ nowMs: this.streams.clock.now() }),
      decideUseSignInLink,
    );
    return executed.outcome === 'rejected' ? null : executed.reply.principalId;
  }
}
