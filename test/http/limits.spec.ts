import { type LimitSettings, Limits, networkOf } from '../../src/http/limits/limits.js';
import { Problem } from '../../src/http/problems/problem.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';

const NONE: LimitSettings = {
  failedAuthenticationsPerMinute: 0,
  answersPerMinute: 0,
  startsPerMinute: 0,
  waitingRequests: 0,
};

describe('limits', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('admit so many calls a minute of each principal, and say when the next one is', async () => {
    const limits = new Limits({ ...NONE, answersPerMinute: 2, startsPerMinute: 1 });
    await limits.admitCall('answers', 'olga');
    jest.advanceTimersByTime(20_500);
    await limits.admitCall('answers', 'olga');
    const refused = await limits.admitCall('answers', 'olga').catch((problem: unknown) => problem);
    expect(refused).toBeInstanceOf(Problem);
    expect((refused as Problem).headers).toEqual({ 'Retry-After': '40' });
    await limits.admitCall('answers', 'pete');
    await limits.admitCall('starts', 'olga');
    jest.advanceTimersByTime(40_000);
    await limits.admitCall('answers', 'olga');
  });

  it('count failed tokens for each network, and good ones for none', async () => {
    const limits = new Limits({ ...NONE, failedAuthenticationsPerMinute: 2 });
    for (let attempt = 0; attempt < 5; attempt += 1) await limits.admitAuthentication('192.0.2.1');
    await limits.authenticationFailed('192.0.2.1');
    await limits.authenticationFailed('::ffff:192.0.2.1');
    await expect(limits.admitAuthentication('192.0.2.1')).rejects.toThrow('rate-limited');
    await limits.admitAuthentication('192.0.2.2');
    jest.advanceTimersByTime(60_001);
    await limits.admitAuthentication('192.0.2.1');
  });

  it('are off at 0', async () => {
    const limits = new Limits(NONE);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      await limits.admitCall('starts', 'olga');
      await limits.authenticationFailed('192.0.2.1');
      await limits.admitAuthentication('192.0.2.1');
      expect(limits.takeWaitingPlace('olga')).not.toBeNull();
    }
  });

  it('give a place to wait back when it is left', () => {
    const limits = new Limits({ ...NONE, waitingRequests: 2 });
    const [one, other] = [limits.takeWaitingPlace('olga'), limits.takeWaitingPlace('olga')];
    expect(limits.takeWaitingPlace('olga')).toBeNull();
    expect(limits.takeWaitingPlace('pete')).not.toBeNull();
    one?.();
    expect(limits.takeWaitingPlace('olga')).not.toBeNull();
    expect(limits.takeWaitingPlace('olga')).toBeNull();
    other?.();
    expect(limits.takeWaitingPlace('olga')).not.toBeNull();
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:aaaa::1', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('take %s for %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('limits over HTTP', () => {
  let service: HttpService;
  beforeAll(async () => {
    const limits = { failedAuthenticationsPerMinute: 3, answersPerMinute: 2, startsPerMinute: 2, waitingRequests: 1 };
    service = await HttpService.start({ limits });
    const turns = [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }];
    await service.call('PUT', '/configurations/c', {
      body: { provider: { kind: 'scripted', turns }, trustZone: 'local' },
    });
  });
  afterAll(() => service.stop());

  it('refuse answers over the limit before anything is looked up for them, one principal apart from another', async () => {
    const [olga, pete] = [
      await service.principal('olga', { kind: 'person' }),
      await service.principal('pete', { kind: 'person' }),
    ];
    const answer = (path: string, token: string) =>
      service.call('POST', `/runs/unknown/${path}`, { token, body: { turnDigest: 'x', data: {} } });
    expect((await answer('input', olga)).status).toBe(404);
    // Also one that does not fit the form counts.
    expect((await answer('approval', olga)).status).toBe(400);
    const refused = await answer('input', olga);
    expectProblem(refused, 'rate-limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.call('GET', '/inbox', { token: olga })).status).toBe(200);
    expect((await answer('input', pete)).status).toBe(404);
  });

  it('refuse starts over the limit', async () => {
    const token = await service.principal('sue', { kind: 'person' });
    const start = () => service.call('POST', '/runs', { token, body: { configurationId: 'c', input: 'x' } });
    expect([(await start()).status, (await start()).status]).toEqual([202, 202]);
    expectProblem(await start(), 'rate-limited');
  });

  it('answer at once, and say so by leaving the preference unapplied, where a principal waits often enough', async () => {
    const token = await service.principal('wim', { kind: 'person' });
    const start = () =>
      service.call('POST', '/runs', {
        token,
        body: { configurationId: 'c', input: 'x' },
        headers: { prefer: 'wait=59' },
      });
    const { begun } = service.clock.nextLongWait();
    const waiting = start();
    await begun;
    const second = await start();
    expect([second.status, second.headers.get('preference-applied')]).toEqual([202, null]);
    await service.work((await service.call('GET', '/runs?status=queued&ownerId=wim')).body.items[1].id);
    const first = await waiting;
    expect([first.status, first.headers.get('preference-applied')]).toEqual([200, 'wait=59']);
  });

  it('refuse an address that tries tokens, whatever the next one is', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await service.call('GET', '/me', { token: 'no-such-token' })).status).toBe(401);
    }
    const refused = await service.call('GET', '/me');
    expectProblem(refused, 'rate-limited');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect((await service.call('GET', '/me', { token: null })).status).toBe(401);
    expect((await service.request('GET', '/health/live')).status).toBe(200);
    // The page for signing in takes tokens, too.
    const signIn = await service.request('POST', '/inbox/sign-in', {
      body: 'token=another',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    });
    expect([signIn.status, signIn.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[1-9]\d?$/)]);
  });
});
