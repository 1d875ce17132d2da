import { Injectable } from '@nestjs/common';
import { InboxAddress } from '../session/inbox-address.js';
import type { SignInFailure } from './sign-in.js';

/** What the page on which people sign in has to show. */
export interface SignInForm {
  /** Where they wanted to go, behind `/inbox`. */
  readonly returnTo: string;
  /** Of a sign-in link; null where nobody came by one. The page only shows a button: looking at it uses nothing up. */
  readonly linkSecret: string | null;
  readonly offersIssuer: boolean;
  /** Why it did not work just now. */
  readonly failure: SignInFailure | null;
}

/** The pages around signing in, as HTML documents. */
export abstract class SignInPages {
  abstract form(form: SignInForm): string;

  /**
   * Leads on to a page after the way back from the issuer. A redirect would not do: the browser takes that for a part of
   * the way from the other site, on which it sends no cookie that is `SameSite=Strict`.
   *
   * @param path of the page, as browsers see it
   */
  abstract onward(path: string): string;
}

const FAILURES: Record<SignInFailure, string> = {
  token: 'This token lets nobody in.',
  link: 'This link was used before, is too old or was never made.',
  refused: 'The issuer did not let you in.',
  invalid: 'This sign-in was not begun in this browser, took too long or was finished before.',
  unknown: 'The issuer knows you, and nobody here is known by that name. An administrator can change that.',
  issuer_unavailable: 'The issuer does not answer at the moment.',
};

/** Without any style. */
@Injectable()
export class PlainSignInPages extends SignInPages {
  constructor(private readonly address: InboxAddress) {
    super();
  }

  override form({ returnTo, linkSecret, offersIssuer, failure }: SignInForm): string {
    const to = hidden('to', returnTo);
    const action = this.address.path('/sign-in');
    const byIssuer = escaped(`${this.address.path('/sign-in/oidc')}?${new URLSearchParams({ to: returnTo })}`);
    return documentOf('Sign in', [
      failure === null ? '' : `<p role="alert">${escaped(FAILURES[failure])}</p>`,
      linkSecret === null
        ? ''
        : `<form method="post" action="${action}">${to}${hidden('link', linkSecret)}<button>Sign in</button></form>`,
      `<form method="post" action="${action}">${to}<label>Token <input name="token" type="password" autocomplete="off" required></label> <button>Sign in with a token</button></form>`,
      offersIssuer ? `<p><a href="${byIssuer}">Sign in with the issuer</a></p>` : '',
    ]);
  }

  override onward(path: string): string {
    const target = escaped(path);
    const meta = `<meta http-equiv="refresh" content="0;url=${target}">`;
    return documentOf('Signed in', [`<p><a href="${target}">Go on</a></p>`], meta);
  }
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escaped(value)}">`;
}

function documentOf(title: string, parts: readonly string[], head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><main><h1>${title}</h1>${parts.join('')}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
