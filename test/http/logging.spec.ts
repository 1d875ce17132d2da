import { Logger } from 'nestjs-pino';
import { CALM } from '../support/memory-event-store.js';
import { ADMIN_TOKEN, HttpService } from './http-service.js';

let service: HttpService;
let broken = false;
const lines: string[] = [];
beforeAll(async () => {
  service = await HttpService.start({
    log: (line) => lines.push(line),
    plan: {
      ...CALM,
      readFate: () => {
        if (broken) throw new Error('content-of-an-error');
        return 'answer';
      },
    },
  });
  service.app.useLogger(service.app.get(Logger));
});
afterAll(() => service.stop());
beforeEach(() => {
  lines.length = 0;
});

/** A request is logged once its answer is sent; the next answer comes after that. */
async function logged(): Promise<Record<string, unknown>[]> {
  await service.request('GET', '/health/live');
  return lines.map((line) => JSON.parse(line));
}

describe('a line in the log', () => {
  it('says method, path, status and correlation id of a request', async () => {
    const answer = await service.call('GET', '/me', { headers: { 'x-request-id': 'trace-3' } });
    expect(answer.status).toBe(200);
    expect(await logged()).toContainEqual(
      expect.objectContaining({
        level: 30,
        correlationId: 'trace-3',
        req: { method: 'GET', path: '/api/v1/me' },
        res: { statusCode: 200 },
      }),
    );
  });

  it('INP-11 holds neither tokens nor content, whatever becomes of the request', async () => {
    const secret = 'secret-word';
    const headers = { cookie: `session=${secret}`, 'x-other': secret };
    await service.call('GET', `/runs?status=${secret}`, { headers });
    await service.call('POST', '/runs', { body: { configurationId: 'none', input: secret }, headers });
    await service.call('POST', '/runs', { body: `{"input":"${secret}"`, headers });
    await service.call('POST', `/runs/x/input?q=${secret}`, { body: { turnDigest: secret, data: { a: secret } } });
    await service.call('GET', '/me', { token: `hp.olga.t1.${secret}` });
    broken = true;
    await service.call('POST', '/runs', { body: { configurationId: 'none', input: secret } });
    broken = false;
    const all = JSON.stringify(await logged());
    expect(all).toContain('"statusCode":500');
    expect(all).not.toMatch(new RegExp(`${secret}|content-of-an-error|${ADMIN_TOKEN}|authorization|cookie`, 'i'));
  });

  it('says of a fault of ours its class, where it came through and the id that the client was told', async () => {
    broken = true;
    const answer = await service.call('GET', '/me');
    broken = false;
    expect(await logged()).toContainEqual(
      expect.objectContaining({
        level: 50,
        correlationId: answer.body.correlationId,
        error: 'Error',
        frames: expect.arrayContaining([expect.stringContaining('authenticate')]),
      }),
    );
  });

  it('is not written for probes', async () => {
    await service.request('GET', '/health/ready');
    expect(await logged()).toEqual([]);
  });
});
