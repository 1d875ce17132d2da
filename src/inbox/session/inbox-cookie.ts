import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InboxAddress } from './inbox-address.js';

export interface CookieKind {
  readonly name: string;
  /** Below the pages, where alone browsers send it. */
  readonly below: string;
  /** `Lax`: also when somebody comes from another site, such as the issuer. */
  readonly sameSite: 'Strict' | 'Lax';
}

const PLAIN = /^[\w.-]*$/;

/** A cookie of the pages. No script can read it, and behind TLS it never goes another way. */
export class InboxCookie {
  constructor(
    private readonly kind: CookieKind,
    private readonly address: InboxAddress,
  ) {}

  /**
   * Undefined, too, where there are two: one of them was planted by a neighbouring site, which would have somebody work
   * as somebody else.
   */
  read({ headers }: FastifyRequest): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const own = `${this.name}=`;
    const [found, ...others] = pairs.filter((pair) => pair.startsWith(own));
    return others.length === 0 ? found?.slice(own.length) : undefined;
  }

  /**
   * @param value letters, digits and `-._`, which need no quoting
   * @param maxAgeSeconds how long the browser keeps it
   */
  set(reply: FastifyReply, value: string, maxAgeSeconds: number): void {
    if (!PLAIN.test(value)) throw new Error('a cookie has a value that needs no quoting');
    const { below, sameSite } = this.kind;
    const attributes = [
      `${this.name}=${value}`,
      `Path=${this.address.path(below)}`,
      `Max-Age=${maxAgeSeconds}`,
      'HttpOnly',
      `SameSite=${sameSite}`,
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
