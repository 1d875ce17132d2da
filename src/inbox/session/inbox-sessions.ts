import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../governance/principal.js';
import { SESSION_LIFETIME_MS, type Session, Sessions } from '../../governance/sessions.js';
import { InboxAddress } from './inbox-address.js';
import { InboxCookie } from './inbox-cookie.js';

/**
 * Who looks at the pages. The cookie goes to the pages alone, and only with requests that come from them: it is worth
 * nothing to the interface, whose calls bring tokens.
 */
@Injectable()
export class InboxSessions {
  private readonly cookie: InboxCookie;

  constructor(
    private readonly sessions: Sessions,
    address: InboxAddress,
  ) {
    this.cookie = new InboxCookie({ name: 'holdpoint-session', below: '', sameSite: 'Strict' }, address);
  }

  /**
   * Who is signed in, as the directory has them at this moment (SUB-6); null for nobody, whatever the reason.
   *
   * @throws {StoreUnavailable}
   */
  async sessionOf(request: FastifyRequest): Promise<Principal | null> {
    const secret = this.cookie.read(request);
    return secret === undefined ? null : await this.sessions.find(secret);
  }

  setSessionCookie(reply: FastifyReply, { secret }: Session): void {
    this.cookie.set(reply, secret, SESSION_LIFETIME_MS / 1_000);
  }

  clearSessionCookie(reply: FastifyReply): void {
    this.cookie.clear(reply);
  }

  /** Ends the session that the request comes with, if it has one: from now on its cookie is worth nothing anywhere. */
  async end(request: FastifyRequest): Promise<void> {
    const secret = this.cookie.read(request);
    if (secret !== undefined) await this.sessions.end(secret, request.id);
  }
}
