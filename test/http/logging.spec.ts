import { once } from 'node:events';
import { connect } from 'node:net';
import { Logger } from 'nestjs-pino';
import { CALM } from '../support/memory-event-store.js';
import { ADMIN_TOKEN, HttpService } from './http-service.js';

let service: HttpService;
let broken = false;
const lines: string[] = [];
let heard: (line: string) => void = () => {};
beforeAll(async () => {
  service = await HttpService.start({
    log: (line) => {
      lines.push(line);
      heard(line);
    },
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

/** Resolves with the first line to come that is meant. */
function nextLine(isMeant: (line: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    heard = (line) => {
      if (isMeant(line)) resolve();
    };
  });
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

  it.each([
    ['a call with a token', '/api/v1/runs', 'application/json'],
    ['a form of nobody in particular', '/inbox/sign-in', 'application/x-www-form-urlencoded'],
  ])('makes no fault of ours of a body that its sender breaks off: %s', async (_what, path, type) => {
    const { hostname, port } = new URL(service.address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: here',
      `Authorization: Bearer ${ADMIN_TOKEN}`,
      `Content-Type: ${type}`,
    ];
    // The service says so once it has the head and waits for the body.
    socket.write(`${[...head, 'Expect: 100-continue', 'Content-Length: 100'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    const line = nextLine((text) => text.includes('request aborted'));
    socket.write('{');
    socket.destroy();
    await line;
    const levels = (await logged()).map(({ level }) => level);
    expect(levels).not.toContain(50);
  });

  it('is not written for probes', async () => {
    await service.request('GET', '/health/ready');
    expect(await logged()).toEqual([]);
  });
});
