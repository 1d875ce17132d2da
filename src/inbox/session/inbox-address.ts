/** Where the pages are, as browsers see them. */
export class InboxAddress {
  private readonly base: URL | null;

  /** @param baseUrl public address, with path prefix; undefined: that of the request */
  constructor(baseUrl: string | undefined) {
    this.base = baseUrl === undefined ? null : new URL(baseUrl);
  }

  /** Whether browsers come by TLS. What ends it is a proxy, so only its address tells. */
  get isSecure(): boolean {
    return this.base?.protocol === 'https:';
  }

  /** Path of a page: `/inbox` and what is below, behind the prefix of the public address. */
  path(below = ''): string {
    return `${this.prefix}/inbox${below}`;
  }

  /** The whole address of a page; null where only a request would tell. */
  url(below: string): string | null {
    return this.base === null ? null : this.base.origin + this.path(below);
  }

  /** Whether an `Origin` is that of the pages. @param host the `Host` of the request */
  isOwnOrigin(origin: string, host: string | undefined): boolean {
    if (this.base !== null) return origin === this.base.origin;
    return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
  }

  private get prefix(): string {
    return (this.base?.pathname ?? '').replace(/\/+$/, '');
  }
}
