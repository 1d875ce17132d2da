import { catalogueOf } from '../../src/inbox/messages/language.js';
import { AUDIT_KINDS } from '../../src/projections/audit/list-audit.query.js';
import { HttpService } from '../http/http-service.js';
import { Administrator, fieldsOf, wordsOf } from './administrator.js';

let service: HttpService;
let root: Administrator;
beforeAll(async () => {
  service = await HttpService.start();
  root = await Administrator.signedIn(service);
  await service.call('PUT', '/configurations/known', { body: { provider: { kind: 'scripted', turns: [] } } });
  await service.call('PUT', '/snippets/known', { body: { name: 'n', content: 'c', active: true } });
  await service.call('PUT', '/skills/known', { body: { name: 'n', content: 'c', active: true } });
});
afterAll(() => service.stop());

const tool = async (name: string) =>
  (await service.call('GET', '/tools')).body.items.find((one: { name: string }) => one.name === name);

describe('tools on pages', () => {
  it('are listed with what they do, and held back further', async () => {
    const list = wordsOf((await root.go('/admin/tools')).text);
    expect(list).toMatch(/look Effect Reads only Class of what it returns \w+/);
    expect(list).toContain('ask asks for input');
    expect(list).toContain('refund waits for approval');
    expect((await root.send('/admin/tools/look/edit', { '/approval': '"always"' })).location).toBe(
      '/inbox/admin/tools?done=saved',
    );
    expect(await tool('look')).toMatchObject({ enabled: true, approval: true, operatorApproval: true });
    await root.send('/admin/tools/look/edit', { '/approval': '"declared"', '/enabled': 'false' });
    expect(await tool('look')).toMatchObject({ enabled: false, approval: false, operatorApproval: null });
    expect(wordsOf((await root.go('/admin/tools')).text)).toContain('look switched off');
    await root.send('/admin/tools/look/edit', { '/enabled': 'true' });
  });

  it('INP-7 that ask for input cannot wait for approval as well', async () => {
    const refused = await root.send('/admin/tools/ask/edit', { '/approval': '"always"' });
    expect(refused.status).toBe(422);
    expect(wordsOf(refused.text)).toContain('Approval cannot be true for a tool that asks for input.');
  });

  it('that two switch at once are switched only knowingly', async () => {
    const form = fieldsOf((await root.go('/admin/tools/refund/edit')).text);
    await service.call('PUT', '/tools/refund', { body: { enabled: false } });
    const refused = await root.post('/admin/tools/refund/edit', { ...form, '/approval': '"always"', intent: 'send' });
    expect([refused.status, (await tool('refund')).operatorApproval]).toEqual([409, null]);
    expect(wordsOf(refused.text)).toMatch(/Switched on false true/);
    expect((await root.go('/admin/tools/unknown/edit')).status).toBe(404);
    expect((await root.go('/admin/new/tools')).status).toBe(404);
  });
});

describe('the policy of data classes on pages', () => {
  it('SRC-7 is switched on a page that asks, and not where somebody has switched it since', async () => {
    const mode = async () => (await service.call('GET', '/policies/data-class-enforcement')).body.mode;
    const before = wordsOf((await root.go('/admin/policy')).text);
    for (const part of ['At the moment: Enforced', 'external_eu', 'configuration']) expect(before).toContain(part);
    const question = await root.go('/admin/policy/observe');
    expect(wordsOf(question.text)).toContain('What was sent cannot be taken back.');
    expect(await mode()).toBe('enforce');
    expect((await root.post('/admin/policy/observe', fieldsOf(question.text))).location).toBe(
      '/inbox/admin/policy?done=switched',
    );
    expect(await mode()).toBe('observe');
    expect(wordsOf((await root.go('/admin/policy')).text)).toContain('At the moment: Only observed');
    const back = fieldsOf((await root.go('/admin/policy/enforce')).text);
    for (const one of ['enforce', 'observe'])
      await service.call('PUT', '/policies/data-class-enforcement', { body: { mode: one } });
    const stale = await root.post('/admin/policy/enforce', back);
    expect([stale.status, await mode()]).toEqual([409, 'observe']);
    await root.post('/admin/policy/enforce', fieldsOf(stale.text));
    expect(await mode()).toBe('enforce');
    expect((await root.go('/admin/policy/something')).status).toBe(404);
  });
});

describe('the audit on pages', () => {
  it('tells who did what, newest first, and leads to what it was about', async () => {
    const token = await service.principal('olga', { kind: 'person', grants: ['agent_approve'] });
    const run = (
      await service.call('POST', '/runs', { token, body: { configurationId: 'known', input: 'SECRET-input' } })
    ).body.id;
    await service.call('POST', `/runs/${run}/cancel`, { token });
    const page = await root.go('/admin/audit');
    expect(page.text).toContain(`href="/inbox/runs/${run}"`);
    expect(page.text).toContain('href="/inbox/admin/configurations/known"');
    const words = wordsOf(page.text);
    expect(words).toMatch(
      /A run was cancelled By olga About run [0-9a-f]{8}.+A token was issued By admin About person or account olga/,
    );
    expect(page.text).not.toContain('SECRET');
    expect(page.text).not.toContain(token.split('.')[3]);
    const found = async (query: string) => {
      const { status, text } = await root.go(`/admin/audit?${query}`);
      return [status, [...text.matchAll(/class="what">\s*([^<]+)</g)].map(([, what]) => what?.trim())];
    };
    expect(await found(`runId=${run}`)).toEqual([200, ['A run was cancelled']]);
    expect(await found('actorId=olga')).toEqual([200, ['A run was cancelled']]);
    expect(await found('kind=SkillPut&actorId=admin')).toEqual([200, ['A skill was saved']]);
    expect(await found('kind=SkillPut&actorId=nobody')).toEqual([200, []]);
    for (const query of ['kind=Nonsense', 'runId=no%20run', 'cursor=forged'])
      expect(await found(query)).toEqual([400, []]);
  });

  it('goes on page by page with its filter', async () => {
    for (let number = 0; number < 60; number++)
      await service.call('PUT', '/tools/look', { body: { enabled: number % 2 === 0 } });
    const first = await root.go('/admin/audit?kind=ToolSwitched');
    const next = /href="\/inbox(\/admin\/audit\?kind=ToolSwitched&amp;cursor=[^"]+)"/.exec(first.text)?.[1] ?? '';
    const second = await root.go(next.replace('&amp;', '&'));
    expect(first.text.match(/class="what"/g)).toHaveLength(50);
    expect(second.text.match(/class="what"/g)?.length).toBeGreaterThanOrEqual(10);
    expect(wordsOf(second.text)).toContain('Back to the beginning');
  });

  it('has words for everything that is in it, in every language', () => {
    for (const language of ['en', 'de'] as const) {
      expect(Object.keys(catalogueOf(language).admin.audit.kinds).sort()).toEqual([...AUDIT_KINDS].sort());
    }
  });
});

const PAGES = [
  '',
  ...['configurations', 'snippets', 'skills'].flatMap((section) => [
    `/${section}`,
    `/${section}/known`,
    `/${section}/known/edit`,
    `/${section}/known/delete`,
    `/new/${section}`,
  ]),
  '/new/principals',
  '/principals',
  '/principals/admin',
  '/principals/admin/edit',
  '/principals/admin/tokens',
  '/principals/admin/tokens/bootstrap/revoke',
  '/tools',
  '/tools/look',
  '/tools/look/edit',
  '/policy',
  '/policy/observe',
  '/audit',
];
const FORMS = [
  ...['configurations', 'snippets', 'skills'].flatMap((section) => [
    `/${section}/known/edit`,
    `/${section}/known/delete`,
    `/new/${section}`,
  ]),
  '/new/principals',
  '/principals/admin/edit',
  '/principals/admin/enabled',
  '/principals/admin/tokens',
  '/principals/admin/tokens/bootstrap/revoke',
  '/tools/look/edit',
  '/policy/observe',
];

describe('the administration', () => {
  it('is for administrators, and nobody else is told anything', async () => {
    const olga = await Administrator.signedIn(
      service,
      await service.principal('oda', { kind: 'person', grants: ['agent_approve'] }),
    );
    const head = service.log.head;
    expect((await olga.go('')).text).not.toContain('/inbox/admin');
    expect((await root.go('')).text).toContain('href="/inbox/admin/configurations"');
    for (const below of PAGES) {
      const { status, text } = await olga.go(`/admin${below}`);
      expect([below, status, wordsOf(text).includes('This is not for you')]).toEqual([below, 403, true]);
      expect([below, [200, 303]]).toEqual([below, expect.arrayContaining([(await root.go(`/admin${below}`)).status])]);
    }
    for (const below of FORMS) {
      expect([below, (await olga.post(`/admin${below}`, { enabled: 'false', token: 't' })).status]).toEqual([
        below,
        403,
      ]);
    }
    expect(service.log.head).toBe(head);
  });

  it('asks whoever is not signed in to do so, and leads back', async () => {
    const browser = await Administrator.signedIn(service, 'no such token');
    const page = await browser.go('/admin/principals/admin?done=saved');
    expect([page.status, page.location]).toEqual([
      303,
      '/inbox/sign-in?to=%2Fadmin%2Fprincipals%2Fadmin%3Fdone%3Dsaved',
    ]);
    for (const below of FORMS) expect([below, (await browser.post(`/admin${below}`, {})).status]).toEqual([below, 401]);
  });

  it('takes forms from its own pages alone, and decides nothing by being looked at', async () => {
    const head = service.log.head;
    for (const below of FORMS) {
      const elsewhere: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': '', origin: 'https://evil.example' },
      ];
      for (const headers of elsewhere) {
        const fields = { enabled: 'false', token: 't' };
        expect([below, (await root.post(`/admin${below}`, fields, headers)).status]).toEqual([below, 403]);
      }
    }
    for (const below of PAGES) await root.go(`/admin${below}`);
    expect(service.log.head).toBe(head);
  });

  it('answers what is not there with a page', async () => {
    for (const below of [
      '/nothing',
      '/nothing/x/edit',
      '/new/nothing',
      '/new/audit',
      '/configurations/x',
      '/configurations/a%20b',
    ]) {
      const { status, headers } = await root.go(`/admin${below}`);
      expect([below, status]).toEqual([below, 404]);
      if (below !== '/nothing') expect([below, headers['content-type']]).toEqual([below, 'text/html; charset=utf-8']);
    }
  });

  it('speaks German from end to end, as the interface does not', async () => {
    const page = await root.go('/admin/principals', { 'accept-language': 'de' });
    expect(page.text).toContain('<html lang="de">');
    for (const part of ['Verwaltung', 'Personen und Konten', 'Token zuletzt verwendet'])
      expect(page.text).toContain(part);
  });
});
