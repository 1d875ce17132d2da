import { HttpService } from '../http/http-service.js';
import { Administrator, fieldsOf, wordsOf } from './administrator.js';

let service: HttpService;
let root: Administrator;
beforeAll(async () => {
  service = await HttpService.start();
  root = await Administrator.signedIn(service);
});
afterAll(() => service.stop());

describe.each(['snippets', 'skills'] as const)('%s on pages', (section) => {
  const read = async (id: string) => (await service.call('GET', `/${section}/${id}`)).body;
  const put = (id: string, changed: object = {}) =>
    service.call('PUT', `/${section}/${id}`, {
      body: { name: 'House rules', content: 'Be brief.', dataClass: 'internal', active: true, ...changed },
    });

  it('are written, read as plain text, and changed', async () => {
    const content = '\n# no heading\n<b>bold</b> [link](javascript:alert(1))\n';
    const made = await root.send(`/admin/new/${section}`, {
      record: 'rules',
      '/name': 'House <rules>',
      '/content': content,
      '/dataClass': '"diagnostics"',
      '/active': 'true',
    });
    expect(made.location).toBe(`/inbox/admin/${section}/rules?done=saved`);
    expect(await read('rules')).toEqual({ name: 'House <rules>', content, dataClass: 'diagnostics', active: true });
    const page = await root.go(`/admin/${section}/rules`);
    expect(page.text).not.toMatch(/<b>|href="javascript/);
    expect(wordsOf(page.text)).toContain('# no heading <b>bold</b> [link](javascript:alert(1))');
    // Every line end, the first one too, is there after a form that nobody touched.
    expect((await root.send(`/admin/${section}/rules/edit`, {})).status).toBe(303);
    expect((await read('rules')).content).toBe(content);
    await root.send(`/admin/${section}/rules/edit`, { '/dataClass': '"none"', '/active': 'false' });
    expect(await read('rules')).toEqual({ name: 'House <rules>', content, active: false });
    const list = wordsOf((await root.go(`/admin/${section}`)).text);
    for (const part of ['rules inactive', 'House <rules>', 'no class']) expect(list).toContain(part);
  });

  it('SRC-1 say where their class lets them go, and who uses them', async () => {
    await put('used');
    const names = section === 'snippets' ? { snippetIds: ['used'] } : { skillIds: ['used'] };
    const provider = { kind: 'scripted', turns: [] };
    await service.call('PUT', `/configurations/user-${section}`, { body: { provider, ...names } });
    const page = wordsOf((await root.go(`/admin/${section}/used`)).text);
    expect(page).toContain('Used by user-');
    expect(page).toContain('It may go to every provider.');
    await put('used', { dataClass: 'diagnostics' });
    const strict = wordsOf((await root.go(`/admin/${section}/used`)).text);
    expect(strict).toContain('diagnostics may go to providers in local, private_hosted.');
    expect(strict).toContain('Not to external_eu, external_global');
    const question = wordsOf((await root.go(`/admin/${section}/used/delete`)).text);
    expect(question).toContain(`user-${section}`);
  });

  it('that do not fit are shown again as typed', async () => {
    const typed = { record: 'empty', '/name': ' ', '/content': '', '/active': '' };
    const refused = await root.send(`/admin/new/${section}`, typed);
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused.text)).toMatchObject(typed);
    const words = wordsOf(refused.text);
    for (const part of ['Name must not be empty.', 'Text is required.', 'Active is required.'])
      expect(words).toContain(part);
  });

  it('that two edit at once are overwritten only knowingly, and deleted only as they were seen', async () => {
    await put('both');
    const form = fieldsOf((await root.go(`/admin/${section}/both/edit`)).text);
    const question = fieldsOf((await root.go(`/admin/${section}/both/delete`)).text);
    await put('both', { content: 'theirs' });
    const refused = await root.post(`/admin/${section}/both/edit`, { ...form, '/content': 'mine', intent: 'send' });
    expect([refused.status, (await read('both')).content]).toEqual([409, 'theirs']);
    expect(wordsOf(refused.text)).toMatch(/Text theirs mine/);
    const stale = await root.post(`/admin/${section}/both/delete`, question);
    expect(stale.status).toBe(409);
    expect((await root.post(`/admin/${section}/both/delete`, fieldsOf(stale.text))).location).toBe(
      `/inbox/admin/${section}?done=deleted`,
    );
    expect((await service.call('GET', `/${section}/both`)).status).toBe(404);
    expect((await root.go(`/admin/${section}/both`)).status).toBe(404);
  });
});
