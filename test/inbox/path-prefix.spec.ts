import { ADMIN_TOKEN, HttpService } from '../http/http-service.js';
import { Browser, type Visit } from '../support/browser.js';
import { ReverseProxy } from '../support/reverse-proxy.js';
import { fieldsOf } from './administrator.js';

/*
 * The service behind a proxy that has it below a path (HOLDPOINT_BASE_URL): somebody goes through the pages by what the
 * pages give them, and never leaves that path.
 */

const PREFIX = '/tools/holdpoint';

let proxy: ReverseProxy;
let service: HttpService;
beforeAll(async () => {
  proxy = await ReverseProxy.start(PREFIX);
  service = await HttpService.start({ baseUrl: `${proxy.address}/` });
  proxy.forwardTo(service.address);
  const turns = [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }];
  await service.call('PUT', '/configurations/asking', {
    body: { provider: { kind: 'scripted', turns }, trustZone: 'local', snippetIds: ['rules'] },
  });
  await service.call('PUT', '/snippets/rules', { body: { name: 'n', content: 'c', active: true } });
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
});

/** Somebody with a browser at the public address. */
class Visitor {
  private readonly browser = new Browser();
  /** Every address that a page has given so far. */
  readonly given = new Set<string>();

  go(path: string): Promise<Visit> {
    return this.seen(this.browser.go(proxy.origin + path, { from: proxy.origin }));
  }

  post(path: string, fields: Record<string, string>): Promise<Visit> {
    return this.seen(this.browser.go(proxy.origin + path, { method: 'POST', fields, from: proxy.origin }));
  }

  /** Sends the form of a page to where the page says, and goes where that leads. */
  async send(page: Visit, action: RegExp, changed: Record<string, string>): Promise<Visit> {
    const to = [...page.text.matchAll(/<form\b[^>]*\saction="([^"]+)"/g)]
      .map(([, one = '']) => one)
      .find((one) => action.test(one));
    if (to === undefined) throw new Error(`no form goes to ${action}`);
    const answer = await this.post(to, { ...fieldsOf(page.text), ...changed });
    return answer.location === null ? answer : this.go(answer.location);
  }

  private async seen(going: Promise<Visit>): Promise<Visit> {
    const visit = await going;
    const addresses = [...visit.text.matchAll(/\s(?:href|src|action|data-stream)="([^"]*)"/g)].map(
      ([, one = '']) => one,
    );
    for (const one of [...addresses, ...(visit.location === null ? [] : [visit.location])]) {
      if (!one.startsWith('#')) this.given.add(one);
    }
    for (const cookie of visit.setCookies) expect(cookie).toMatch(/; Path=\/tools\/holdpoint\/inbox(?:\/[a-z/]+)?;/);
    return visit;
  }
}

it('from the sign-in over an answer to the administration every link, form, redirect and cookie stays below the path', async () => {
  const visitor = new Visitor();
  const away = await visitor.go(`${PREFIX}/inbox/admin/principals`);
  const signIn = await visitor.go(away.location ?? '');
  const principals = await visitor.send(signIn, /sign-in$/, { token: ADMIN_TOKEN });
  expect([principals.status, principals.url]).toEqual([200, `${proxy.address}/inbox/admin/principals`]);

  const list = await visitor.go(`${PREFIX}/inbox`);
  expect(list.text).toContain('Nothing waits for you.');
  const start = await visitor.go(`${PREFIX}/inbox/start`);
  const run = await visitor.send(start, /start$/, { configuration: 'asking', input: 'go' });
  const runId = run.url.split('/').at(-1)?.split('?')[0] ?? '';
  await service.work(runId);
  const waiting = await visitor.go(`${PREFIX}/inbox`);
  expect(waiting.text).toContain(`href="${PREFIX}/inbox/runs/${runId}"`);
  const asking = await visitor.go(`${PREFIX}/inbox/runs/${runId}`);
  const answered = await visitor.send(asking, /answer$/, { '/c1/amount': '1', intent: 'send' });
  expect([answered.status, answered.url]).toEqual([200, `${proxy.address}/inbox/runs/${runId}?done=answered`]);

  const fresh = await visitor.go(`${PREFIX}/inbox/admin/new/principals`);
  const made = await visitor.send(fresh, /new\/principals$/, { record: 'olga', '/kind': '"person"', intent: 'send' });
  expect(made.url).toBe(`${proxy.address}/inbox/admin/principals/olga?done=saved`);
  const issued = await visitor.send(made, /tokens$/, {});
  expect(issued.text).toContain('id="issued"');

  const edit = await visitor.go(`${PREFIX}/inbox/admin/configurations/asking/edit`);
  expect((await visitor.send(edit, /edit$/, { '/systemPrompt': 'p', intent: 'send' })).status).toBe(200);
  const german = await visitor.send(await visitor.go(`${PREFIX}/inbox/admin/audit`), /language$/, { language: 'de' });
  expect(german.status).toBe(200);

  // Then everywhere else that any page has led to, two steps on.
  for (let step = 0; step < 2; step++) {
    for (const address of [...visitor.given]) {
      const path = address.replaceAll('&amp;', '&');
      expect([address, path.startsWith(`${PREFIX}/inbox`)]).toEqual([address, true]);
      // Scripts are there only once they were compiled, and the stream does not end.
      if (!/\/stream$|\.js$/.test(path))
        expect([path, [200, 303, 404]]).toEqual([path, expect.arrayContaining([(await visitor.go(path)).status])]);
    }
  }
  expect(visitor.given.size).toBeGreaterThan(40);
  for (const section of [
    'configurations',
    'snippets/rules',
    'skills',
    'tools/look/edit',
    'policy/observe',
    'audit',
    'principals/olga',
  ])
    expect(visitor.given).toContain(`${PREFIX}/inbox/admin/${section}`);

  const out = await visitor.post(`${PREFIX}/inbox/sign-out`, {});
  expect(out.location).toBe(`${PREFIX}/inbox/sign-in`);
  expect(proxy.astray).toEqual([]);
});
