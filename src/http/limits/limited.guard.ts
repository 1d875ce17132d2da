import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../caller.js';
import { type LimitedCall, Limits } from './limits.js';

const LIMITED = Symbol('limited');

/** A call of which one principal can make only so many a minute. */
export const Limited = (call: LimitedCall) => SetMetadata(LIMITED, call);

/** Stands behind the authentication, and before a body is read or anything is looked up. */
@Injectable()
export class LimitedGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: Limits,
  ) {}

  /** @throws {Problem} `rate-limited` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const places = [context.getHandler(), context.getClass()];
    const call = this.reflector.getAllAndOverride<LimitedCall | undefined>(LIMITED, places);
    if (call === undefined) return true;
    await this.limits.admitCall(call, callerOf(context.switchToHttp().getRequest<FastifyRequest>()).id);
    return true;
  }
}
