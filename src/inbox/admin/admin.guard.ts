import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mayAdminister } from '../../governance/access.js';
import { Problem } from '../../http/problems/problem.js';
import { Visits } from '../pages/visits.js';

/** Stands behind the guard of those who are signed in, whom the directory was asked about for this very request. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly visits: Visits) {}

  /** @throws {Problem} `forbidden` */
  canActivate(context: ExecutionContext): boolean {
    const caller = this.visits.callerOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (!mayAdminister(caller)) throw new Problem('forbidden');
    return true;
  }
}
