import { ADMIN_TOKEN, HttpService } from '../http/http-service.js';
import { Browser } from '../support/browser.js';

/** A process that serves calls and has no worker: whatever is started on it stays queued. */
describe('a run that waits for a worker', () => {
  let service: HttpService;
  const runs: string[] = [];

  beforeAll(async () => {
    service = await HttpService.start();
    const provider = { kind: 'scripted', turns: [] };
    await service.call('PUT', '/configurations/quick', { body: { provider, trustZone: 'local' } });
    for (const owner of ['olga', 'olga', 'pete']) {
      const token = await service.principal(owner, { kind: 'person' });
      const body = { configurationId: 'quick', input: 'go' };
      runs.push((await service.call('POST', '/runs', { body, token })).body.id);
    }
  });
  afterAll(() => service.stop());

  it('says how many runs may be before it, to whoever may read it', async () => {
    const places = [];
    for (const runId of runs) places.push((await service.call('GET', `/runs/${runId}`)).body.queue);
    expect(places).toEqual([{ ahead: 1 }, { ahead: 2 }, { ahead: 1 }]);
  });

  it('says it on its page, in the language of the reader', async () => {
    const browser = new Browser();
    const fields = { token: ADMIN_TOKEN };
    await browser.go(`${service.address}/inbox/sign-in`, { method: 'POST', fields, from: service.address });
    const page = async (language: string, runId?: string) =>
      (await browser.go(`${service.address}/inbox/runs/${runId}`, { headers: { 'accept-language': language } })).text;
    expect(await page('en', runs[1])).toContain('at most 2 runs are before it');
    expect(await page('en', runs[2])).toContain('at most one run is before it');
    expect(await page('de', runs[1])).toContain('höchstens 2 Läufe sind vor ihm an der Reihe');
  });

  it('says so no more once it is worked on', async () => {
    await service.work(runs[2] as string);
    expect((await service.call('GET', `/runs/${runs[2]}`)).body).toMatchObject({ status: 'completed' });
    expect((await service.call('GET', `/runs/${runs[2]}`)).body.queue).toBeUndefined();
    expect((await service.call('GET', `/runs/${runs[0]}`)).body.queue).toEqual({ ahead: 0 });
  });
});
