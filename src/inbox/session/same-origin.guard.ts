import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../http/problems/problem.js';
import { InboxAddress } from './inbox-address.js';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * What changes something is only taken from the pages themselves. The browser says where a request comes from, which no
 * script of another site can change; what comes without a word about it is refused as well.
 */
@Injectable()
export class SameOriginGuard implements CanActivate {
  constructor(private readonly address: InboxAddress) {}

  /** @throws {Problem} `forbidden` */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!SAFE_METHODS.has(request.method) && !this.isOurs(request)) throw new Problem('forbidden');
    return true;
  }

  private isOurs({ headers }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const { origin, host } = headers;
    return origin !== undefined && this.address.isOwnOrigin(origin, host);
  }
}
