import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InboxAddress } from './inbox-address.js';

export interface CookieKind {
  readonly name: string;
  /** Below the pages, where alone browsers send it. */
  readonly below: string;
  /** `lax`: also when somebody comes from another site, such as the issuer. */
  readonly sameSite: 'strict' | 'lax';
}

/** A cookie of the pages. No script can read it, and behind TLS it never goes another way. */
export class InboxCookie {
  constructor(
    private readonly kind: CookieKind,
    private readonly address: InboxAddress,
  ) {}

  read({ headers }: FastifyRequest): string | undefined {
    return headers.cookie === undefined ? undefined : fastifyCookie.parse(headers.cookie)[this.name];
  }

  /** @param maxAgeSeconds how long the browser keeps it */
  set(reply: FastifyReply, value: string, maxAgeSeconds: number): void {
    const { below: path, sameSite } = this.kind;
    const options = {
      path: this.address.path(path),
      httpOnly: true,
      secure: this.address.isSecure,
      sameSite,
      maxAge: maxAgeSeconds,
    };
    // Fastify adds this header to those that were set before, so that several cookies can be.
    reply.header('Set-Cookie', fastifyCookie.serialize(this.name, value, options));
  }

  clear(reply: FastifyReply): void {
    this.set(reply, '', 0);
  }

  /** With this prefix browsers take the cookie over TLS alone, so that nobody on the way can plant one. */
  private get name(): string {
    return this.address.isSecure ? `__Secure-${this.kind.name}` : this.kind.name;
  }
}
