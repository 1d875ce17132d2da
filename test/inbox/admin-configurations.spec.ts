import { HttpService } from '../http/http-service.js';
import { Administrator, fieldsOf, wordsOf } from './administrator.js';

let service: HttpService;
let root: Administrator;
beforeAll(async () => {
  service = await HttpService.start();
  root = await Administrator.signedIn(service);
});
afterAll(() => service.stop());

const COMPATIBLE = {
  'branch0 /provider': '0',
  '/provider/baseUrl': 'https://model.example/v1',
  '/provider/model': 'large',
};
const BODY = { provider: { kind: 'openai-compatible', baseUrl: 'https://model.example/v1', model: 'large' } };

const read = async (id: string) => (await service.call('GET', `/configurations/${id}`)).body;
const put = (id: string, body: object = BODY) => service.call('PUT', `/configurations/${id}`, { body });
const german = { 'accept-language': 'de' };

describe('configurations on pages', () => {
  it('are made by a form, by the same rules as over the interface', async () => {
    const made = await root.send('/admin/new/configurations', {
      record: 'made',
      ...COMPATIBLE,
      '/provider/timeoutMs': '5000',
      '/trustZone': '"external_eu"',
      '/tools': '"chosen"',
      '/allowedTools': '"look"',
      'rows /snippetIds': '2',
      '/snippetIds/0': 'rules',
      '/snippetIds/1': 'tone',
      '/systemPrompt': 'Be brief.\r\nBe kind.',
      '/requireSecondApprover': 'true',
      'rows /fallbacks': '1',
      'branch0 /fallbacks/0/provider': '2',
      '/fallbacks/0/provider/model': 'small',
      '/fallbacks/0/provider/apiKeyEnv': 'HOLDPOINT_PROVIDER_KEY_A',
      '/fallbacks/0/trustZone': '"external_global"',
    });
    expect([made.status, made.location]).toEqual([303, '/inbox/admin/configurations/made?done=saved']);
    expect(await read('made')).toEqual({
      provider: { ...BODY.provider, timeoutMs: 5_000 },
      trustZone: 'external_eu',
      fallbacks: [
        {
          provider: { kind: 'anthropic', model: 'small', apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_A' },
          trustZone: 'external_global',
        },
      ],
      systemPrompt: 'Be brief.\nBe kind.',
      allowedTools: ['look'],
      snippetIds: ['rules', 'tone'],
      skillIds: [],
      requireSecondApprover: true,
    });
    const page = wordsOf((await root.go('/admin/configurations/made?done=saved')).text);
    for (const part of [
      'Saved.',
      'large',
      'external_eu',
      'up to internal (external_global)',
      'Be brief.',
      'does not exist',
    ])
      expect(page).toContain(part);
    const [entry] = (await service.call('GET', '/audit?kind=ConfigurationPut')).body.items;
    expect(entry).toMatchObject({ subject: { id: 'made' }, actor: { id: 'admin' } });
  });

  it('stay what they are when a form is saved that nobody changed', async () => {
    await put('same', {
      provider: {
        kind: 'scripted',
        turns: [{ text: 'a\n<b>' }, { calls: [{ toolName: 'look', arguments: { n: 1 } }] }],
      },
      fallbacks: [{ provider: { kind: 'scripted', turns: [] } }],
      allowedTools: [],
      systemPrompt: 'first\n\nlast "quoted" & <tagged>',
      skillIds: ['s'],
    });
    const before = await service.call('GET', '/configurations/same');
    expect((await root.send('/admin/configurations/same/edit', {})).status).toBe(303);
    const after = await service.call('GET', '/configurations/same');
    expect(after.body).toEqual(before.body);
    // Not even written again.
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('offer what a kind of provider needs once it was chosen, without script too', async () => {
    const { text } = await root.go('/admin/new/configurations');
    expect(Object.keys(fieldsOf(text))).not.toContain('/provider/model');
    const fields = { ...fieldsOf(text), record: 'x', 'branch0 /provider': '3', intent: 'refresh' };
    const refreshed = await root.post('/admin/new/configurations', fields);
    expect([refreshed.status, fieldsOf(refreshed.text).record]).toEqual([200, 'x']);
    expect(Object.keys(fieldsOf(refreshed.text))).toContain('/provider/turns');
    const added = { ...fieldsOf(refreshed.text), intent: 'add /snippetIds' };
    expect(fieldsOf((await root.post('/admin/new/configurations', added)).text)).toMatchObject({ '/snippetIds/0': '' });
  });

  it('that do not fit are shown again, each fault at its field, with everything that was typed', async () => {
    const typed = {
      record: 'has blanks',
      'branch0 /provider': '1',
      '/provider/model': '',
      '/provider/apiKeyEnv': 'MY_KEY',
      '/provider/baseUrl': 'ftp://x',
      '/provider/timeoutMs': 'soon',
      'rows /snippetIds': '2',
      '/snippetIds/0': '',
      '/snippetIds/1': 'no good',
      '/systemPrompt': 'kept',
    };
    const refused = await root.send('/admin/new/configurations', typed);
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused.text)).toMatchObject(typed);
    const words = wordsOf(refused.text);
    for (const part of [
      'Id must match [A-Za-z0-9_-]{1,64}.',
      'Model is required.',
      'begins with HOLDPOINT_PROVIDER_KEY_.',
      'Address must begin with http:// or https://.',
      'Longest answer, in milliseconds must be a number.',
      'must have items that match',
    ])
      expect(words).toContain(part);
    for (const id of ['frecord', 'f%2Fprovider%2Fmodel', 'f%2Fprovider%2FbaseUrl']) {
      expect(refused.text).toContain(`href="#${id}"`);
      expect(new RegExp(`<input id="${id}"[^>]*aria-invalid`).test(refused.text)).toBe(true);
    }
    const words2 = wordsOf((await root.send('/admin/new/configurations', typed, german)).text);
    for (const part of [
      'Kennung muss zum Muster',
      'Modell muss ausgefüllt werden',
      'muss mit http:// oder https:// beginnen',
    ])
      expect(words2).toContain(part);
    const unreadable = { record: 'json', 'branch0 /provider': '3', '/provider/turns': '[{' };
    const json = await root.send('/admin/new/configurations', unreadable);
    expect([json.status, fieldsOf(json.text)['/provider/turns']]).toEqual([422, '[{']);
    expect(wordsOf(json.text)).toContain('Turns must be JSON.');
    expect((await service.call('GET', '/configurations/json')).status).toBe(404);
    const nothing = await root.send('/admin/new/configurations', {});
    expect(wordsOf(nothing.text)).toContain('2 things have to be corrected');
  });

  it('that two edit at once: whoever saves second is shown both, and overwrites only knowingly', async () => {
    await put('both');
    const { text } = await root.go('/admin/configurations/both/edit');
    await put('both', { ...BODY, systemPrompt: 'theirs', trustZone: 'local' });
    const mine = { ...fieldsOf(text), '/systemPrompt': 'mine', intent: 'send' };
    const refused = await root.post('/admin/configurations/both/edit', mine);
    expect(refused.status).toBe(409);
    const words = wordsOf(refused.text);
    expect(words).toContain('Somebody else has changed this meanwhile');
    expect(words).toMatch(/System prompt theirs mine/);
    expect(words).toMatch(/Trust zone of the provider local nothing/);
    expect((await read('both')).systemPrompt).toBe('theirs');
    expect(fieldsOf(refused.text)['/systemPrompt']).toBe('mine');
    const again = await root.post('/admin/configurations/both/edit', { ...fieldsOf(refused.text), intent: 'send' });
    expect(again.status).toBe(303);
    expect(await read('both')).toMatchObject({ systemPrompt: 'mine' });
  });

  it('of an id that is taken are not made over the one that is there, nor over a third one', async () => {
    await put('taken', { ...BODY, systemPrompt: 'was here' });
    await put('third', { ...BODY, systemPrompt: 'also here' });
    const refused = await root.send('/admin/new/configurations', { record: 'taken', ...COMPATIBLE });
    expect([refused.status, (await read('taken')).systemPrompt]).toEqual([409, 'was here']);
    expect(wordsOf(refused.text)).toContain('There is one with this id already');
    // What was seen of one record says nothing of another, even where both are at the same revision.
    const other = { ...fieldsOf(refused.text), record: 'third', intent: 'send' };
    expect((await root.post('/admin/new/configurations', other)).status).toBe(409);
    expect((await read('third')).systemPrompt).toBe('also here');
    const knowingly = { ...fieldsOf(refused.text), intent: 'send' };
    expect((await root.post('/admin/new/configurations', knowingly)).status).toBe(303);
    expect((await read('taken')).systemPrompt).toBeUndefined();
  });

  it('that were deleted meanwhile are only made again by saving again', async () => {
    await put('fleeting');
    const { text } = await root.go('/admin/configurations/fleeting/edit');
    await service.call('DELETE', '/configurations/fleeting');
    const refused = await root.post('/admin/configurations/fleeting/edit', { ...fieldsOf(text), intent: 'send' });
    expect([refused.status, wordsOf(refused.text).includes('has deleted this meanwhile')]).toEqual([409, true]);
    const again = await root.post('/admin/configurations/fleeting/edit', { ...fieldsOf(refused.text), intent: 'send' });
    expect([again.status, (await read('fleeting')).provider]).toEqual([303, BODY.provider]);
  });

  it('are deleted on a page that asks, and not where they have changed since', async () => {
    await put('doomed');
    const page = await root.go('/admin/configurations/doomed/delete');
    expect([page.status, wordsOf(page.text).includes('Delete the configuration doomed?')]).toEqual([200, true]);
    await put('doomed', { ...BODY, trustZone: 'local' });
    const stale = await root.post('/admin/configurations/doomed/delete', fieldsOf(page.text));
    expect([stale.status, (await service.call('GET', '/configurations/doomed')).status]).toEqual([409, 200]);
    const gone = await root.post('/admin/configurations/doomed/delete', fieldsOf(stale.text));
    expect(gone.location).toBe('/inbox/admin/configurations?done=deleted');
    expect((await service.call('GET', '/configurations/doomed')).status).toBe(404);
    for (const below of ['', '/edit', '/delete']) {
      expect((await root.go(`/admin/configurations/doomed${below}`)).status).toBe(404);
    }
  });

  it('SRC-2 say on their page when new runs are refused, and which source it is', async () => {
    const secret = { name: 'Keys', content: 'x', dataClass: 'secret_adjacent', active: true };
    await service.call('PUT', '/snippets/keys', { body: secret });
    await put('blocked', { ...BODY, trustZone: 'external_eu', snippetIds: ['keys'] });
    const page = wordsOf((await root.go('/admin/configurations/blocked')).text);
    expect(page).toContain('New runs of this configuration are refused');
    expect(page).toContain('The source snippet:keys is secret_adjacent, which must not go to external_eu.');
  });

  it('come in pages, and a cursor of another list is a page that is not there', async () => {
    for (let number = 0; number < 55; number++) await put(`many-${String(number).padStart(2, '0')}`);
    const first = await root.go('/admin/configurations');
    const next = /href="\/inbox(\/admin\/configurations\?cursor=[^"]+)"/.exec(first.text)?.[1] ?? '';
    const second = await root.go(next);
    expect(first.text).not.toContain('many-54');
    expect(second.text).toContain('many-54');
    expect(wordsOf(second.text)).toContain('Back to the beginning');
    expect((await root.go(next.replace('configurations', 'snippets'))).status).toBe(400);
  });

  it('show what is in them as text, whatever it is', async () => {
    const model = '<img src=x onerror=alert(1)>\u202Egnp.x';
    await put('hostile', {
      provider: { ...BODY.provider, model },
      systemPrompt: '</pre><script>alert(1)</script>',
    });
    for (const below of [
      '/admin/configurations',
      '/admin/configurations/hostile',
      '/admin/configurations/hostile/edit',
    ]) {
      const { text } = await root.go(below);
      expect(text).not.toMatch(/<img|<script>/);
    }
    expect((await root.go('/admin/configurations/hostile')).text).toContain('U+202E');
    expect((await root.send('/admin/configurations/hostile/edit', {})).status).toBe(303);
    expect((await read('hostile')).provider.model).toBe(model);
  });
});
