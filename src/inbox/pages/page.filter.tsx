import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UnreadForm } from '../../http/body/unread-form.js';
import { problemOf } from '../../http/problems/problem-of.js';
import { describeFailure } from '../../logging/describe-failure.js';
import type { Catalogue } from '../messages/en.js';
import { InboxAddress } from '../session/inbox-address.js';
import { postedFields } from './posted-fields.js';
import { type KeptDraft, ProblemPage } from './problem-page.js';
import { SignInNeeded } from './signed-in.guard.js';
import { Visits } from './visits.js';

/** Kinds of "no" that have nothing to do with what was sent. */
const PASSING: ReadonlySet<number> = new Set([401, 429, 500, 503]);

const HAS_DRAFT = /^\/(?:start|runs\/[^/?]+\/(?:answer|decision|resolution))$/;

/** What a button adds to what was typed: it is pressed anew, by somebody who sees what it does. */
const DECIDING: ReadonlySet<string> = new Set(['intent', 'decision']);

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
          <ProblemPage
            visit={visit}
            title={visit.t.problem.signIn}
            text={visit.t.problem.signInText}
            signIn={true}
            draft={this.draftOf(request, 401)}
          />,
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
    const draft = this.draftOf(request, problem.status);
    this.visits.show(reply, <ProblemPage visit={visit} title={title} text={text} draft={draft} />, problem.status);
  }

  /** What somebody typed is theirs: where sending it again may go better, it is handed back to them. */
  private draftOf(request: FastifyRequest, status: number): KeptDraft | null {
    const below = request.url.replace(/^\/inbox/, '');
    if (request.method !== 'POST' || !PASSING.has(status) || !HAS_DRAFT.test(below)) return null;
    if (request.body instanceof UnreadForm && request.body.isTooLarge) return null;
    const fields = [...postedFields(request)].filter(([name]) => !DECIDING.has(name));
    return fields.length === 0 ? null : { action: this.address.path(below), fields };
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
