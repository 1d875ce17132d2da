import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { mayAdminister, mayAttempt } from '../governance/access.js';
import type { Principal } from '../governance/principal.js';
import { ADMISSION, type Admission } from './admission.js';
import { BearerTokens } from './bearer-tokens.js';
import { admit } from './caller.js';
import { Limits } from './limits/limits.js';
import { Problem } from './problems/problem.js';

const BEARER = /^Bearer +([\x21-\x7e]{1,8192}) *$/i;

/**
 * Who is asking, and may they make this kind of call at all? Asked for every call before its body is read and before
 * anything is looked up for it; the directory is asked anew each time (SUB-6).
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: BearerTokens,
    private readonly limits: Limits,
  ) {}

  /** @throws {Problem} `unauthenticated`, `forbidden`, `rate-limited` @throws {StoreUnavailable} @throws {IssuerUnavailable} */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const admission = this.admissionOf(context);
    if (admission.who === 'everybody') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const principal = await this.principalOf(request);
    if (!isAdmitted(principal, admission)) throw new Problem('forbidden');
    admit(request, principal);
    return true;
  }

  /** A call that nobody thought about is open to nobody. */
  private admissionOf(context: ExecutionContext): Admission {
    const places = [context.getHandler(), context.getClass()];
    const admission = this.reflector.getAllAndOverride<Admission | undefined>(ADMISSION, places);
    if (admission === undefined) throw new Error(`nobody says who may call ${context.getHandler().name}`);
    return admission;
  }

  private async principalOf({ headers, ip }: FastifyRequest): Promise<Principal> {
    const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
    // Before the look-up: whoever tries tokens is not even told which one was good.
    if (token !== undefined) await this.limits.admitAuthentication(ip);
    const principal = token === undefined ? null : await this.tokens.principalOf(token);
    if (principal !== null) return principal;
    if (token !== undefined) await this.limits.authenticationFailed(ip);
    const fault = token === undefined ? '' : ', error="invalid_token"';
    throw new Problem('unauthenticated', {}, { 'WWW-Authenticate': `Bearer realm="holdpoint"${fault}` });
  }
}

function isAdmitted(principal: Principal, admission: Exclude<Admission, { who: 'everybody' }>): boolean {
  switch (admission.who) {
    case 'any_caller':
      return principal.enabled;
    case 'admins':
      return mayAdminister(principal);
    case 'attempt':
      return mayAttempt(principal, admission.action);
  }
}
