import { ADMIN_TOKEN, type HttpService } from '../http/http-service.js';
import { Browser, type Visit } from '../support/browser.js';

/** Somebody who is signed in to the pages of a service, without script. */
export class Administrator {
  private constructor(
    private readonly service: HttpService,
    private readonly browser: Browser,
  ) {}

  static async signedIn(service: HttpService, token = ADMIN_TOKEN): Promise<Administrator> {
    const administrator = new Administrator(service, new Browser());
    await administrator.post('/sign-in', { token });
    return administrator;
  }

  /** @param below address behind `/inbox` */
  go(below: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.browser.go(`${this.service.address}/inbox${below}`, { headers });
  }

  /** @param below address behind `/inbox` */
  post(below: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Visit> {
    const url = `${this.service.address}/inbox${below}`;
    return this.browser.go(url, { method: 'POST', fields, from: this.service.address, headers });
  }

  /** What the form of a page would send if nobody changed anything, with these fields changed. */
  async send(below: string, changed: Record<string, string>, headers: Record<string, string> = {}): Promise<Visit> {
    const { text } = await this.go(below, headers);
    return this.post(below, { ...fieldsOf(text), ...changed, intent: 'send' }, headers);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
};

/** Text as a browser reads it. */
function unescaped(text: string): string {
  return text.replaceAll(/&(?:quot|amp|lt|gt|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/**
 * The fields of the main form of a page, as a browser would send them untouched: hidden and text fields, text areas,
 * chosen options and ticked boxes. Of several of one name the last one.
 */
export function fieldsOf(page: string): Record<string, string> {
  const main = page.slice(page.indexOf('<main'), page.indexOf('</main>'));
  const fields: Record<string, string> = {};
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  for (const [tag] of main.matchAll(/<input\b(?:[^>"]|"[^"]*")*>/g)) {
    const name = attribute(tag, 'name');
    const isBox = /type="(?:radio|checkbox)"/.test(tag);
    if (name !== undefined && (!isBox || /\schecked\b/.test(tag))) {
      fields[unescaped(name)] = unescaped(attribute(tag, 'value') ?? '');
    }
  }
  for (const [, tag = '', text = ''] of main.matchAll(/<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/g)) {
    fields[unescaped(attribute(tag, 'name') ?? '')] = unescaped(text.replace(/^\n/, ''));
  }
  for (const [, tag = '', options = ''] of main.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen = [...options.matchAll(/<option\b([^>]*)>/g)].find(([, one = '']) => /\sselected\b/.test(one));
    fields[unescaped(attribute(tag, 'name') ?? '')] = unescaped(attribute(chosen?.[1] ?? '', 'value') ?? '');
  }
  return fields;
}

/** What stands on a page, without markup. */
export function wordsOf(page: string): string {
  const main = page.slice(page.indexOf('<main'), page.indexOf('</main>'));
  return unescaped(main.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');
}
