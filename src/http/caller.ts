import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../governance/principal.js';

const callers = new WeakMap<FastifyRequest, Principal>();

/** Remembers who was authenticated for this one request. */
export function admit(request: FastifyRequest, principal: Principal): void {
  callers.set(request, principal);
}

/** Who was authenticated for this request. */
export function callerOf(request: FastifyRequest): Principal {
  const principal = callers.get(request);
  if (principal === undefined) throw new Error('a call without a caller asks who is calling');
  return principal;
}

/** The principal behind the request, as the directory had it when the request came. */
export const Caller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal => callerOf(context.switchToHttp().getRequest()),
);

/** Under which everything that the request causes is found again. */
export const CorrelationId = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string => context.switchToHttp().getRequest<FastifyRequest>().id,
);
