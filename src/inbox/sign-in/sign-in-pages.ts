import type { FastifyRequest } from 'fastify';
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
  abstract form(form: SignInForm, request: FastifyRequest): string;

  /**
   * Leads on to a page after the way back from the issuer. A redirect would not do: the browser takes that for a part of
   * the way from the other site, on which it sends no cookie that is `SameSite=Strict`.
   *
   * @param path of the page, as browsers see it
   */
  abstract onward(path: string, request: FastifyRequest): string;
}
