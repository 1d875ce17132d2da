import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { Visits } from '../pages/visits.js';
import { OnwardPage, SignInPage } from './sign-in-page.js';
import { type SignInForm, SignInPages } from './sign-in-pages.js';

/** The pages around signing in, as all other pages look. */
@Injectable()
export class StyledSignInPages extends SignInPages {
  constructor(private readonly visits: Visits) {
    super();
  }

  override form(form: SignInForm, request: FastifyRequest): string {
    return `<!doctype html>${renderToString(<SignInPage visit={this.visits.of(request)} form={form} />)}`;
  }

  override onward(path: string, request: FastifyRequest): string {
    return `<!doctype html>${renderToString(<OnwardPage visit={this.visits.of(request)} to={path} />)}`;
  }
}
