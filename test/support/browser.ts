import { request as send } from 'node:http';

/** As much of a browser as cookies and redirects need: which cookies go where, and who sent somebody there. */

export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly location: string | null;
  /** As they were set, word by word. */
  readonly setCookies: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
  readonly path: string;
  readonly secure: boolean;
  readonly sameSite: string;
}

export interface Going {
  /** Origin of the page from which somebody goes there; absent: typed into the address bar. */
  readonly from?: string;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly fields?: Readonly<Record<string, string>>;
  /** In place of what the browser says of itself; an empty one is left out. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where an origin really is, and what a proxy in front of it takes from the path. */
export interface Host {
  readonly address: string;
  readonly prefix?: string;
}

export class Browser {
  private cookies: Cookie[] = [];

  constructor(private readonly hosts: Readonly<Record<string, Host>> = {}) {}

  /** One request; redirects are not followed. */
  async go(url: string, going: Going = {}): Promise<Visit> {
    const { method = 'GET', from, fields, headers = {} } = going;
    const target = new URL(url);
    const body = fields === undefined ? undefined : new URLSearchParams(fields).toString();
    const cookies = this.cookiesFor(target, method, from).map(({ name, value }) => `${name}=${value}`);
    const answer = await this.send(target, method, body, {
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...siteHeaders(target, from),
      ...headers,
    });
    for (const cookie of answer.setCookies) this.keep(cookie, target);
    return answer;
  }

  /** Goes on along redirects, all of which count as coming from where the first one was begun. */
  async follow(url: string, going: Going = {}): Promise<Visit> {
    let visit = await this.go(url, going);
    for (let steps = 0; visit.location !== null && steps < 10; steps += 1) {
      const next = new URL(visit.location, visit.url);
      const from = going.from ?? new URL(url).origin;
      visit = await this.go(next.href, { from });
    }
    return visit;
  }

  cookie(name: string): string | undefined {
    return this.cookies.find((cookie) => cookie.name === name)?.value;
  }

  /** As somebody does who kept a copy. */
  plant(name: string, value: string, url: string): void {
    this.keep(`${name}=${value}; Path=/; Secure; SameSite=Lax`, new URL(url));
  }

  private cookiesFor(target: URL, method: string, from: string | undefined): Cookie[] {
    const cameFromElsewhere = from !== undefined && from !== target.origin;
    return this.cookies.filter(({ origin, path, sameSite }) => {
      const goesThere =
        origin === target.origin &&
        (target.pathname === path || target.pathname.startsWith(`${path.replace(/\/$/, '')}/`));
      const mayComeAlong = !cameFromElsewhere || (sameSite === 'lax' && method === 'GET');
      return goesThere && mayComeAlong;
    });
  }

  private keep(text: string, { origin, protocol }: URL): void {
    const [pair = '', ...attributes] = text.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const attribute = (wanted: string) => attributes.find((one) => one.toLowerCase().startsWith(wanted))?.split('=')[1];
    const secure = attributes.includes('Secure');
    if (name.startsWith('__Secure-') && !(secure && protocol === 'https:')) return;
    const path = attribute('path=') ?? '/';
    this.cookies = this.cookies.filter(
      (cookie) => cookie.name !== name || cookie.origin !== origin || cookie.path !== path,
    );
    if (attribute('max-age=') === '0') return;
    const sameSite = (attribute('samesite=') ?? 'lax').toLowerCase();
    this.cookies.push({ name, value, origin, path, secure, sameSite });
  }

  private send(target: URL, method: string, body: string | undefined, headers: Record<string, string>): Promise<Visit> {
    const { address, prefix = '' } = this.hosts[target.origin] ?? { address: target.origin };
    const path = target.pathname.startsWith(prefix) ? target.pathname.slice(prefix.length) : target.pathname;
    const place = new URL(address + path + target.search);
    return new Promise((resolve, reject) => {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
      const sent = send(place, { method, headers: { host: target.host, ...given } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            url: target.href,
            text: Buffer.concat(chunks).toString(),
            location: response.headers.location ?? null,
            setCookies: response.headers['set-cookie'] ?? [],
            headers: response.headers,
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

function siteHeaders(target: URL, from: string | undefined): Record<string, string> {
  if (from === undefined) return { 'sec-fetch-site': 'none' };
  return { 'sec-fetch-site': from === target.origin ? 'same-origin' : 'cross-site', origin: from };
}
