import { HttpService } from '../http/http-service.js';
import type { Visit } from '../support/browser.js';
import { Administrator, fieldsOf, wordsOf } from './administrator.js';

/*
 * What is sent from pages counts towards the same limits as calls of the interface. Whoever is refused for a reason that
 * passes gets a page that says so, and what they typed back.
 */
describe('what is sent from pages', () => {
  let service: HttpService;

  beforeAll(async () => {
    service = await HttpService.start({ limits: { answersPerMinute: 2, startsPerMinute: 6 } });
    const turns = (toolName: string) => [{ calls: [{ toolName, arguments: {} }] }];
    for (const toolName of ['ask', 'refund']) {
      const provider = { kind: 'scripted', turns: turns(toolName) };
      await service.call('PUT', `/configurations/${toolName}ing`, { body: { provider, trustZone: 'local' } });
    }
  });
  afterAll(() => service.stop());

  /** A person of their own, since limits are counted for each. */
  async function person(id: string): Promise<{ readonly token: string; readonly administrator: Administrator }> {
    const token = await service.principal(id, { kind: 'person', admin: true });
    return { token, administrator: await Administrator.signedIn(service, token) };
  }

  async function waiting(configurationId: string, token: string): Promise<string> {
    const runId: string = (await service.call('POST', '/runs', { body: { configurationId, input: 'go' }, token })).body
      .id;
    await service.work(runId);
    return runId;
  }

  async function spendAnswers(runId: string, token: string): Promise<void> {
    for (const turnDigest of ['1', '2']) {
      await service.call('POST', `/runs/${runId}/input`, { body: { turnDigest, data: {} }, token });
    }
  }

  /** The refusal is a page, with the draft in a form that shows the first one again. */
  function expectKept(visit: Visit, status: number, words: readonly string[]): Record<string, string> {
    expect([visit.status, visit.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    for (const part of words) expect(wordsOf(visit.text)).toContain(part);
    expect(visit.text).toContain('name="intent" value="refresh"');
    expect(visit.text).not.toContain('value="approve"');
    return { ...fieldsOf(visit.text), intent: 'refresh' };
  }

  it('an answer shares the limit of the interface; the draft is kept, and fills the same form again', async () => {
    const { token, administrator } = await person('olga');
    const run = await waiting('asking', token);
    await spendAnswers(run, token);
    const form = fieldsOf((await administrator.go(`/runs/${run}`)).text);
    const [amount = ''] = Object.keys(form).filter((name) => name.endsWith('/amount'));
    const note = amount.replace('/amount', '/note');
    const typed = { ...form, [amount]: '12', [note]: 'in "two" parts <b>', intent: 'send' };
    const refused = await administrator.post(`/runs/${run}/answer`, typed);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const kept = expectKept(refused, 429, ['too often', 'Nothing was sent', 'What you typed is kept']);
    const again = await administrator.post(`/runs/${run}/answer`, kept);
    expect([again.status, fieldsOf(again.text)]).toEqual([
      200,
      expect.objectContaining({ [amount]: '12', [note]: 'in "two" parts <b>' }),
    ]);
    expect((await service.call('GET', `/runs/${run}`)).body.status).toBe('waiting_for_input');
  });

  it('a decision that was refused by a limit comes back as a comment, and never decides by itself', async () => {
    const { token, administrator } = await person('pete');
    const run = await waiting('refunding', token);
    await spendAnswers(run, token);
    const form = fieldsOf((await administrator.go(`/runs/${run}`)).text);
    const posted = { ...form, comment: 'Seen the photographs.', decision: 'approve' };
    const kept = expectKept(await administrator.post(`/runs/${run}/decision`, posted), 429, ['too often']);
    expect(kept).not.toHaveProperty('decision');
    const again = await administrator.post(`/runs/${run}/decision`, kept);
    expect([again.status, fieldsOf(again.text).comment]).toEqual([200, 'Seen the photographs.']);
    const stale = await administrator.post(`/runs/${run}/decision`, { ...kept, turn: '0' });
    expect([stale.status, wordsOf(stale.text)]).toEqual([409, expect.stringContaining('The request has changed')]);
    expect((await service.call('GET', `/runs/${run}`)).body.status).toBe('waiting_for_approval');
    await service.call('POST', `/runs/${run}/cancel`);
    const late = await administrator.post(`/runs/${run}/decision`, kept);
    expect([late.status, wordsOf(late.text)]).toEqual([409, expect.stringContaining('Seen the photographs.')]);
  });

  it('a start shares the limit of the interface, and its task is kept', async () => {
    const { token, administrator } = await person('rosa');
    const body = { configurationId: 'asking', input: 'go' };
    for (let start = 0; start < 6; start += 1) await service.call('POST', '/runs', { body, token });
    const fields = { configuration: 'asking', input: 'Write to everybody.' };
    const kept = expectKept(await administrator.post('/start', fields), 429, ['too often', 'Nothing was sent']);
    const again = await administrator.post('/start', kept);
    expect([again.status, fieldsOf(again.text)]).toEqual([200, expect.objectContaining(fields)]);
  });

  it('what somebody typed is kept when their session has ended, and for nobody whose form came from elsewhere', async () => {
    const { token, administrator } = await person('sven');
    const run = await waiting('refunding', token);
    const fields = {
      ...fieldsOf((await administrator.go(`/runs/${run}`)).text),
      comment: 'Not yet.',
      decision: 'deny',
    };
    await administrator.post('/sign-out', {});
    expectKept(await administrator.post(`/runs/${run}/decision`, fields), 401, ['Your session has ended', 'Sign in']);
    const foreign = await administrator.post(`/runs/${run}/decision`, fields, {
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    });
    expect([foreign.status, foreign.text.includes('Not yet.')]).toEqual([403, false]);
  });

  it('more than a body may be is a page with a sentence, and nothing of it was taken', async () => {
    const { administrator } = await person('tara');
    const large = await administrator.post('/start', { configuration: 'asking', input: 'x'.repeat(300_000) });
    expect([large.status, wordsOf(large.text)]).toEqual([413, expect.stringContaining('A form takes 256 KiB at most')]);
  });
});

describe('signing in too often', () => {
  it('is a page that says so and when to try again', async () => {
    const service = await HttpService.start({ limits: { failedAuthenticationsPerMinute: 1 } });
    const stranger = await Administrator.signedIn(service, 'wrong');
    const limited = await stranger.post('/sign-in', { token: 'wrong again' });
    expect([limited.status, limited.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect(wordsOf(limited.text)).toContain('Too many attempts Nobody was signed in. Wait a minute, then try again.');
    await service.stop();
  });
});
