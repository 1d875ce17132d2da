import { connect } from 'node:net';
import { CALM } from '../support/memory-event-store.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';

let service: HttpService;
let away = false;
let broken = false;
beforeAll(async () => {
  service = await HttpService.start({
    plan: {
      ...CALM,
      readFate: () => {
        if (broken) throw new Error('secret-word');
        return away ? 'refuse' : 'answer';
      },
    },
  });
});
afterAll(() => service.stop());

/** What is answered to bytes that need not be HTTP. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(service.address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('problems have one shape, whoever finds them', () => {
  it('an address where nothing is', async () => {
    for (const path of ['/nothing', '/runs/x/y/z']) expectProblem(await service.call('GET', path), 'not-found');
    for (const path of ['/', '/api', '/api/v1', '/api/v2/runs', '/favicon.ico']) {
      expectProblem(await service.request('GET', path), 'not-found');
    }
  });

  it('a method that a call does not have', async () => {
    expectProblem(await service.call('PATCH', '/runs', { body: {} }), 'not-found');
    expectProblem(await service.call('DELETE', '/runs/x'), 'not-found');
    expectProblem(await service.call('PUT', '/inbox', { body: {} }), 'not-found');
  });

  it('an address that cannot be read', async () => {
    expectProblem(await service.request('GET', '/api/v1/runs/%zz'), 'invalid-request', { errors: [] });
    expectProblem(await service.call('GET', `/runs/${'x'.repeat(3_000)}`), 'address-too-long');
  });

  it('bytes that are no HTTP', async () => {
    const answer = await raw('GIBBERISH\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*Content-Type: application\/problem\+json/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      code: 'invalid-request',
      status: 400,
    });
  });

  it('header fields that are too large', async () => {
    const answer = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: 'headers-too-large' });
  });

  it('a store that is away: try again, a repeat is safe', async () => {
    away = true;
    const answer = await service.call('GET', '/me');
    away = false;
    expectProblem(answer, 'store-unavailable', { correlationId: answer.headers.get('x-request-id') });
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('a fault of ours: an id to find it by, and not a word of it', async () => {
    broken = true;
    const answer = await service.call('GET', '/me', { headers: { 'x-request-id': 'trace-1' } });
    broken = false;
    expectProblem(answer, 'internal', { correlationId: 'trace-1' });
    expect(answer.text).not.toContain('secret-word');
  });
});

describe('a request id', () => {
  it('is the one that the client gave, where it can stand in a log', async () => {
    for (const id of ['a', 'trace:1_2.3@4-5', 'x'.repeat(128)]) {
      const answer = await service.call('GET', '/me', { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).toBe(id);
    }
  });

  it('is made where there is none, or one that could not', async () => {
    for (const id of ['two words', 'x'.repeat(129), '{"a":1}']) {
      const answer = await service.call('GET', '/me', { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('is found in what the request caused', async () => {
    const body = { kind: 'person', enabled: true };
    await service.call('PUT', '/principals/olga', { body, headers: { 'x-request-id': 'trace-2' } });
    const [event] = service.log.events.filter(({ stream }) => stream === 'principal-olga');
    expect(JSON.parse(event?.metadata ?? '{}')).toMatchObject({
      $correlationId: 'trace-2',
      actor: { kind: 'principal', id: 'admin' },
    });
  });
});

describe('security headers', () => {
  it.each(['/api/v1/me', '/nothing', '/health/live', '/api/openapi.json', '/api/v1/runs/%zz'])(
    'are on %s',
    async (path) => {
      const { headers } = await service.request('GET', path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    },
  );
});

it('GET and HEAD change nothing', async () => {
  const before = service.log.events.length;
  const document = (await service.request('GET', '/api/openapi.json')).body;
  for (const path of Object.keys(document.paths)) {
    for (const method of ['GET', 'HEAD']) await service.call(method, path.slice(7).replaceAll(/\{\w+\}/g, 'olga'));
  }
  expect(service.log.events).toHaveLength(before);
});
