import { HttpService } from '../http/http-service.js';
import { Administrator, fieldsOf, wordsOf } from './administrator.js';

let service: HttpService;
let root: Administrator;
beforeAll(async () => {
  service = await HttpService.start();
  root = await Administrator.signedIn(service);
});
afterAll(() => service.stop());

const read = async (id: string) => (await service.call('GET', `/principals/${id}`)).body;
const tokens = async (id: string) => (await service.call('GET', `/principals/${id}/tokens`)).body.items;

/** The token on a page that shows one. */
const shownToken = (page: string) => /id="issued"[^>]*value="([^"]+)"/.exec(page)?.[1];

describe('people and accounts on pages', () => {
  it('are added and changed', async () => {
    await root.send('/admin/new/principals', {
      record: 'robot',
      '/kind': '"service_account"',
      '/scopes': '"agent:run"',
      '/oidcSubject': 'sub-1',
    });
    expect(await read('robot')).toEqual({
      kind: 'service_account',
      enabled: true,
      admin: false,
      grants: [],
      scopes: ['agent:run'],
      oidcSubject: 'sub-1',
    });
    const list = wordsOf((await root.go('/admin/principals')).text);
    expect(list).toContain('robot Kind Service account agent:run Token last used never');
    await root.send('/admin/principals/robot/edit', { '/oidcSubject': '' });
    expect((await read('robot')).oidcSubject).toBeUndefined();
    const refused = await root.send('/admin/new/principals', { record: '', '/kind': '', '/oidcSubject': 'ä' });
    expect(refused.status).toBe(422);
    for (const part of ['Id is required.', 'Kind is required.', 'must have 1 to 255 visible ASCII characters'])
      expect(wordsOf(refused.text)).toContain(part);
  });

  it('SUB-6 are disabled and enabled with a button, which decides only what was seen', async () => {
    await service.principal('dora', { kind: 'person', grants: ['agent_approve'] });
    const seen = fieldsOf((await root.go('/admin/principals/dora')).text);
    const disabled = await root.post('/admin/principals/dora/enabled', { ...seen, enabled: 'false' });
    expect(disabled.location).toBe('/inbox/admin/principals/dora?done=disabled');
    expect(await read('dora')).toMatchObject({ enabled: false, grants: ['agent_approve'] });
    const stale = await root.post('/admin/principals/dora/enabled', { ...seen, enabled: 'true' });
    expect([stale.status, (await read('dora')).enabled]).toEqual([409, false]);
    await root.post('/admin/principals/dora/enabled', { ...fieldsOf(stale.text), enabled: 'true' });
    expect((await read('dora')).enabled).toBe(true);
    expect((await root.post('/admin/principals/dora/enabled', seen)).status).toBe(400);
  });

  it('cannot lock themselves out: an administrator is refused with a sentence, and nothing changes', async () => {
    const own = fieldsOf((await root.go('/admin/principals/admin')).text);
    const disabled = await root.post('/admin/principals/admin/enabled', { ...own, enabled: 'false' });
    expect(disabled.status).toBe(409);
    expect(wordsOf(disabled.text)).toContain('You cannot take this from yourself');
    const attempts: Record<string, string>[] = [
      { '/admin': 'false' },
      { '/enabled': 'false' },
      { '/kind': '"service_account"' },
    ];
    for (const changed of attempts) {
      const refused = await root.send('/admin/principals/admin/edit', changed);
      expect([refused.status, fieldsOf(refused.text)]).toEqual([409, expect.objectContaining(changed)]);
      expect(wordsOf(refused.text)).toContain('Another administrator can do it.');
    }
    expect(await read('admin')).toMatchObject({ kind: 'person', enabled: true, admin: true });
    const [first] = await tokens('admin');
    const revoked = await root.post(`/admin/principals/admin/tokens/${first.tokenId}/revoke`, {});
    expect(revoked.status).toBe(409);
    expect(wordsOf(revoked.text)).toContain('This is the last token that you can come in with');
    expect((await tokens('admin'))[0].revokedAt).toBeNull();
  });

  it('have a subject of the issuer for themselves', async () => {
    await service.call('PUT', '/principals/first', { body: { kind: 'person', enabled: true, oidcSubject: 'one' } });
    const refused = await root.send('/admin/new/principals', {
      record: 'second',
      '/kind': '"person"',
      '/oidcSubject': 'one',
    });
    expect([refused.status, fieldsOf(refused.text)['/oidcSubject']]).toEqual([409, 'one']);
    expect(wordsOf(refused.text)).toContain('Somebody else has this subject of the issuer');
  });
});

describe('tokens on pages', () => {
  it('are shown once: loading the page again shows none, and issues no other', async () => {
    await service.principal('olga', { kind: 'person' });
    const form = { ...fieldsOf((await root.go('/admin/principals/olga')).text), '/name': 'laptop' };
    const issued = await root.post('/admin/principals/olga/tokens', form);
    const token = shownToken(issued.text);
    expect([issued.status, issued.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await service.call('GET', '/me', { token: token ?? null })).body.id).toBe('olga');
    const again = await root.post('/admin/principals/olga/tokens', form);
    expect([again.status, shownToken(again.text)]).toEqual([409, undefined]);
    expect(wordsOf(again.text)).toContain('no other one was issued');
    expect((await tokens('olga')).map(({ name }: { name: string }) => name)).toEqual([null, 'laptop']);
    const page = await root.go('/admin/principals/olga');
    expect(page.text).not.toContain(token);
    expect(wordsOf(page.text)).toMatch(/laptop usable Issued .+ Ends never Last used now/);
    expect((await root.go('/admin/principals/olga/tokens')).location).toBe('/inbox/admin/principals/olga');
  });

  it('of two who send the same form at once one gets the token', async () => {
    await service.principal('pat', { kind: 'person' });
    const form = fieldsOf((await root.go('/admin/principals/pat')).text);
    const answers = await Promise.all([1, 2, 3].map(() => root.post('/admin/principals/pat/tokens', form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await tokens('pat')).toHaveLength(2);
  });

  it('end with the day that was given, and a day that is past or none is told', async () => {
    await service.principal('quin', { kind: 'person' });
    const form = async () => fieldsOf((await root.go('/admin/principals/quin')).text);
    const ends = { ...(await form()), '/expiresOn': '2100-02-28' };
    expect((await root.post('/admin/principals/quin/tokens', ends)).status).toBe(200);
    expect((await tokens('quin'))[1].expiresAt).toBe('2100-02-28T23:59:59.999Z');
    for (const [day, words] of [
      ['2001-01-01', 'Last day must be in the future.'],
      ['2100-02-31', 'Last day must be a time of RFC 3339'],
      ['tomorrow', 'Last day must be a time of RFC 3339'],
    ]) {
      const typed: Record<string, string> = { ...(await form()), '/name': 'kept', '/expiresOn': day ?? '' };
      const refused = await root.post('/admin/principals/quin/tokens', typed);
      expect([refused.status, wordsOf(refused.text)]).toEqual([422, expect.stringContaining(words ?? '')]);
      expect(fieldsOf(refused.text)).toMatchObject({ '/name': 'kept', '/expiresOn': day, token: typed.token });
    }
    const named = await root.post('/admin/principals/quin/tokens', { ...(await form()), '/name': '<b>' });
    expect([named.status, named.text.includes('<b>')]).toEqual([422, false]);
    expect((await root.post('/admin/principals/nobody/tokens', await form())).status).toBe(404);
    expect((await root.post('/admin/principals/quin/tokens', { token: '' })).status).toBe(400);
  });

  it('are revoked on a page that asks, from the next request on', async () => {
    const token = await service.principal('rita', { kind: 'person' });
    const [{ tokenId }] = await tokens('rita');
    const below = `/admin/principals/rita/tokens/${tokenId}/revoke`;
    expect(wordsOf((await root.go(below)).text)).toContain(`Revoke the token ${tokenId}?`);
    expect((await service.call('GET', '/me', { token })).status).toBe(200);
    expect((await root.post(below, {})).location).toBe('/inbox/admin/principals/rita?done=revoked');
    expect((await service.call('GET', '/me', { token })).status).toBe(401);
    expect(wordsOf((await root.go('/admin/principals/rita')).text)).toContain('revoked');
    expect((await root.go('/admin/principals/rita/tokens/unknown/revoke')).status).toBe(404);
  });
});
