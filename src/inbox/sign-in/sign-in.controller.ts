import { Controller, Get, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../governance/sessions.js';
import { Everybody } from '../../http/admission.js';
import { UnreadForm } from '../../http/body/unread-form.js';
import { Limits } from '../../http/limits/limits.js';
import { Problem } from '../../http/problems/problem.js';
import { ATTEMPT_LIFETIME_SECONDS } from '../../openid/sign-in-attempt.js';
import { PageFilter } from '../pages/page.filter.js';
import { PAGE_POLICY } from '../pages/page-policy.js';
import { InboxAddress } from '../session/inbox-address.js';
import { InboxCookie } from '../session/inbox-cookie.js';
import { InboxSessions } from '../session/inbox-sessions.js';
import { SameOriginGuard } from '../session/same-origin.guard.js';
import { returnTo } from './return-to.js';
import { SignIn, type SignInFailure } from './sign-in.js';
import { type SignInForm, SignInPages } from './sign-in-pages.js';

const STATUS: Record<SignInFailure, number> = {
  token: 401,
  link: 401,
  refused: 403,
  invalid: 400,
  unknown: 403,
  issuer_unavailable: 503,
  limited: 429,
};

/** Signing in and out. Looking decides nothing: whoever only opens a link has used nothing up. */
@ApiExcludeController()
@Everybody()
@UseFilters(PageFilter)
@UseGuards(SameOriginGuard)
@Controller('inbox')
export class SignInController {
  /** It has to come along from another site, so it is no strict one; it holds nothing that opens anything by itself. */
  private readonly attempts: InboxCookie;

  constructor(
    private readonly signIn: SignIn,
    private readonly sessions: InboxSessions,
    private readonly pages: SignInPages,
    private readonly address: InboxAddress,
    private readonly limits: Limits,
  ) {
    const kind = { name: 'holdpoint-sign-in', below: '/sign-in/oidc', sameSite: 'Lax' } as const;
    this.attempts = new InboxCookie(kind, address);
  }

  @Get('sign-in')
  async form(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = new URL(request.url, 'http://unused').searchParams;
    this.showForm(request, reply, 200, { returnTo: returnTo(query.get('to')), linkSecret: query.get('link') });
  }

  @Post('sign-in')
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const fields = request.body instanceof UnreadForm ? request.body.read() : new URLSearchParams();
    const to = returnTo(fields.get('to'));
    const link = fields.get('link');
    const limit = await this.limitFor(request);
    if (limit !== null) {
      reply.headers(limit.headers);
      this.showFailure(request, reply, 'limited', to);
      return;
    }
    const session =
      link === null
        ? await this.signIn.withToken(fields.get('token') ?? '', request.id)
        : await this.signIn.withLink(link, request.id);
    if (session === null) {
      await this.limits.authenticationFailed(request.ip);
      this.showFailure(request, reply, link === null ? 'token' : 'link', to);
      return;
    }
    await this.welcome(request, reply, session);
    await reply.redirect(this.address.path(to), 303);
  }

  @Get('sign-in/oidc')
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireIssuer();
    const to = returnTo(new URL(request.url, 'http://unused').searchParams.get('to'));
    const begun = await this.signIn.begin(to);
    if (begun === null) {
      this.showFailure(request, reply, 'issuer_unavailable', to);
      return;
    }
    this.attempts.set(reply, begun.sealedAttempt, ATTEMPT_LIFETIME_SECONDS);
    await reply.redirect(begun.location, 303);
  }

  @Get('sign-in/oidc/callback')
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireIssuer();
    const { search } = new URL(request.url, 'http://unused');
    const finished = await this.signIn.finish(search, this.attempts.read(request), request.id);
    this.attempts.clear(reply);
    if (finished.outcome !== 'signed_in') {
      this.showFailure(request, reply, finished.outcome, '');
      return;
    }
    await this.welcome(request, reply, finished.session);
    this.show(reply, 200, this.pages.onward(this.address.path(finished.returnTo), request));
  }

  @Post('sign-out')
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.end(request);
    this.sessions.clearSessionCookie(reply);
    await reply.redirect(this.address.path('/sign-in'), 303);
  }

  /** Whoever was signed in before is so no more: one browser, one session. */
  private async welcome(request: FastifyRequest, reply: FastifyReply, session: Session): Promise<void> {
    await this.sessions.end(request);
    this.sessions.setSessionCookie(reply, session);
  }

  /** Why nobody may try at the moment; null where they may. */
  private async limitFor(request: FastifyRequest): Promise<Problem | null> {
    try {
      await this.limits.admitAuthentication(request.ip);
      return null;
    } catch (error) {
      if (error instanceof Problem && error.code === 'rate-limited') return error;
      throw error;
    }
  }

  private requireIssuer(): void {
    if (!this.signIn.offersIssuer) throw new Problem('not-found');
  }

  private showFailure(request: FastifyRequest, reply: FastifyReply, failure: SignInFailure, to: string): void {
    this.showForm(request, reply, STATUS[failure], { returnTo: to, failure });
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    form: Partial<SignInForm> & { readonly returnTo: string },
  ): void {
    const { offersIssuer } = this.signIn;
    this.show(reply, status, this.pages.form({ linkSecret: null, failure: null, ...form, offersIssuer }, request));
  }

  private show(reply: FastifyReply, status: number, page: string): void {
    reply.status(status).header('Content-Security-Policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page);
  }
}
