import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFailure } from '../../logging/describe-failure.js';
import { PROBLEM_MEDIA_TYPE, type Problem } from './problem.js';
import { problemOf } from './problem-of.js';

/** The one way out for everything that is thrown: Nest's, Fastify's and our own errors alike. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (wasBrokenOff(request, thrown)) {
      reply.raw.destroy();
      return;
    }
    const problem = problemOf(thrown, request.id);
    // A problem below 500 is an answer, not a fault of ours.
    if (problem.status >= 500) {
      this.logger.error({ ...describeFailure(thrown), correlationId: request.id }, problem.code);
    }
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else sendProblem(reply, problem);
  }
}

/** Its sender left in the middle of the body: no fault of ours, and nobody is there to be told. */
function wasBrokenOff({ raw }: FastifyRequest, thrown: unknown): boolean {
  return raw.errored !== null && thrown === raw.errored;
}

/** As text, so that no serializer adds to it or leaves something out. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  reply.status(problem.status).headers(problem.headers).type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(problem.body()));
}
