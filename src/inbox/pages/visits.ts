import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Principal } from '../../governance/principal.js';
import { catalogueOf, languageFor } from '../messages/language.js';
import { InboxAddress } from '../session/inbox-address.js';
import { LANGUAGE_COOKIE } from './language-cookie.js';
import { PAGE_POLICY } from './page-policy.js';
import type { Visit } from './visit.js';

const callers = new WeakMap<FastifyRequest, Principal>();

/** Remembers who is signed in for this one request. */
export function welcome(request: FastifyRequest, caller: Principal): void {
  callers.set(request, caller);
}

/** Makes pages for those who look at them. */
@Injectable()
export class Visits {
  constructor(private readonly address: InboxAddress) {}

  of(request: FastifyRequest): Visit {
    const language = languageFor(
      LANGUAGE_COOKIE.exec(request.headers.cookie ?? '')?.[1],
      request.headers['accept-language'],
    );
    return {
      caller: callers.get(request) ?? null,
      language,
      t: catalogueOf(language),
      nowMs: Date.now(),
      here:
        request.method === 'GET'
          ? request.url.replace(/^\/inbox/, '')
          : request.url.replace(/^\/inbox/, '').replace(/\/(?:answer|decision|cancel|resolution|enabled|tokens)$/, ''),
      path: (below) => this.address.path(below),
    };
  }

  /** Who is signed in; the guard has made sure that somebody is. */
  callerOf(request: FastifyRequest): Principal {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error('a page for somebody who is signed in was made for nobody');
    return caller;
  }

  show(reply: FastifyReply, page: VNode, status = 200): void {
    reply
      .status(status)
      .header('Content-Security-Policy', PAGE_POLICY)
      // What is shown depends on who looks, in which language.
      .header('Vary', 'Cookie, Accept-Language')
      .type('text/html; charset=utf-8')
      .send(`<!doctype html>${renderToString(page)}`);
  }

  /** Leads on after a form was taken, so that loading the page again sends nothing again. */
  async goTo(reply: FastifyReply, below: string): Promise<void> {
    await reply.redirect(this.address.path(below), 303);
  }
}

/** What stands in the query of an address. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://unused').searchParams;
}
