import { ADMIN_TOKEN, HttpService } from './http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
  const provider = { kind: 'scripted', turns: [{ text: 'the end' }] };
  await service.call('PUT', '/configurations/short', { body: { provider } });
});
afterAll(() => service.stop());

async function follow(runId: string, headers: Record<string, string> = {}, token = ADMIN_TOKEN): Promise<Response> {
  return fetch(`${service.address}/api/v1/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
  });
}

function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

async function startRun(token = ADMIN_TOKEN): Promise<string> {
  return (await service.call('POST', '/runs', { token, body: { configurationId: 'short', input: 'x' } })).body.id;
}

describe('the events of a run as a stream', () => {
  it('are told from the beginning, then as they happen, and end with the one that settles the run', async () => {
    const run = await startRun();
    const response = await follow(run);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const told = response.text();
    await service.work(run);
    const text = await told;
    expect(text).toContain('"RunStarted"');
    expect(text).toContain('"RunCompleted"');
    expect(idsIn(text)).toEqual(idsIn(text).map((_id, index) => index));
  });

  it('go on behind the last one that a client has', async () => {
    const run = await startRun();
    await service.work(run);
    const all = idsIn(await (await follow(run)).text());
    expect(idsIn(await (await follow(run, { 'last-event-id': '0' })).text())).toEqual(all.slice(1));
  });

  it('end for whoever may not call any more, before the next one is told', async () => {
    const token = await service.principal('olga', { kind: 'person' });
    const run = await startRun(token);
    const told = (await follow(run, {}, token)).text();
    await service.call('PUT', '/principals/olga', { body: { kind: 'person', enabled: false } });
    await service.work(run).catch(() => {});
    expect(await told).not.toContain('"RunCompleted"');
  });

  it('are not there for others', async () => {
    const token = await service.principal('otto', { kind: 'person' });
    expect((await follow(await startRun(), {}, token)).status).toBe(404);
  });
});
