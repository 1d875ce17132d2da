import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InboxSessions } from '../session/inbox-sessions.js';
import { welcome } from './visits.js';

/** Nobody is signed in, and the page is for somebody who is. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
}

/** Asks anew at every request who is signed in (SUB-6). */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(private readonly sessions: InboxSessions) {}

  /** @throws {SignInNeeded} @throws {StoreUnavailable} */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.sessions.sessionOf(request);
    if (caller === null || !caller.enabled) throw new SignInNeeded();
    welcome(request, caller);
    return true;
  }
}
