import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InboxAddress } from './inbox-address.js';

export interface CookieKind {
  readonly name: string;
  /** Below the pages, where alone browsers send it. */
  readonly below: string;
  /** `lax`: also when somebody comes from another site, such as the issuer. */
  readonly sameSite: 'strict' | 'lax';
}

/** Of RFC 6265 what needs no thought about quotes. */
const COOKIE_VALUE = /^[\w.~+/=-]*$/;

/** A cookie of the pages. No script can read it, and behind TLS it never goes another way. */
export class InboxCookie {
  constructor(
    private readonly kind: CookieKind,
    private readonly address: InboxAddress,
  ) {}

  read({ headers }: FastifyRequest): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const own = pairs.find((pair) => pair.startsWith(`${this.name}=`));
    return own?.slice(this.name.length + 1);
  }

  /**
   * @param value of letters that cookies can have as they are, such as base64url
   * @param maxAgeSeconds how long the browser keeps it
   */
  set(reply: FastifyReply, value: string, maxAgeSeconds: number): void {
    if (!COOKIE_VALUE.test(value)) throw new Error('a cookie cannot have this value as it is');
    const { below: path, sameSite } = this.kind;
    const attributes = [
      `${this.name}=${value}`,
      `Max-Age=${maxAgeSeconds}`,
      `Path=${this.address.path(path)}`,
      'HttpOnly',
      `SameSite=${sameSite === 'strict' ? 'Strict' : 'Lax'}`,
      ...(this.address.isSecure ? ['Secure'] : []),
    ];
    // Fastify adds this header to those that were set before, so that several cookies can be.
    reply.header('Set-Cookie', attributes.join('; '));
  }

  clear(reply: FastifyReply): void {
    this.set(reply, '', 0);
  }

  /** With this prefix browsers take the cookie over TLS alone, so that nobody on the way can plant one. */
  private get name(): string {
    return this.address.isSecure ? `__Secure-${this.kind.name}` : this.kind.name;
  }
}
