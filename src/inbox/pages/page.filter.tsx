import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from '../../http/problems/problem-of.js';
import { describeFailure } from '../../logging/describe-failure.js';
import type { Catalogue } from '../messages/en.js';
import { InboxAddress } from '../session/inbox-address.js';
import { ProblemPage } from './problem-page.js';
import { SignInNeeded } from './signed-in.guard.js';
import { Visits } from './visits.js';

/** Every "no" to somebody who looks at a page is a page, with a sentence that says what to do. */
@Catch()
@Injectable()
export class PageFilter implements ExceptionFilter {
  private readonly logger = new Logger('Page');

  constructor(
    private readonly visits: Visits,
    private readonly address: InboxAddress,
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const visit = this.visits.of(request);
    if (thrown instanceof SignInNeeded) {
      const to = encodeURIComponent(visit.here);
      if (request.method === 'GET') await reply.redirect(this.address.path(`/sign-in?to=${to}`), 303);
      else
        this.visits.show(
          reply,
          <ProblemPage visit={visit} title={visit.t.problem.signIn} text={visit.t.problem.signInText} signIn={true} />,
          401,
        );
      return;
    }
    const problem = problemOf(thrown, request.id);
    if (problem.status >= 500) {
      this.logger.error({ ...describeFailure(thrown), correlationId: request.id }, problem.code);
    }
    reply.headers(problem.headers);
    const [title, text] = wordsOf(visit.t, problem.status, request);
    this.visits.show(reply, <ProblemPage visit={visit} title={title} text={text} />, problem.status);
  }
}

function wordsOf({ problem }: Catalogue, status: number, request: FastifyRequest): readonly [string, string] {
  switch (status) {
    case 400:
      return [problem.invalid, problem.invalidText];
    case 403:
      return request.method === 'GET' || request.headers['sec-fetch-site'] === 'same-origin'
        ? [problem.forbidden, problem.forbiddenText]
        : [problem.crossSite, problem.crossSiteText];
    case 404:
      return [problem.notFound, problem.notFoundText];
    case 413:
      return [problem.tooLarge, problem.tooLargeText];
    case 429:
      return [problem.tooOften, problem.tooOftenText];
    case 503:
      return [problem.away, problem.awayText];
    default:
      return [problem.broken, problem.brokenText(request.id)];
  }
}
