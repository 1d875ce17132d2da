import { HttpService } from './http-service.js';

/*
 * SUB-1 over HTTP: every call of the interface by every kind of caller. 401 and 403 come before any look-up; 404 is what
 * whoever cannot reach a run gets, exactly as for a run that does not exist.
 */

let service: HttpService;
const tokens: Record<string, string | null> = {};
/** One run that waits for input, one that does not; both are Olga's. */
const runs = { waiting: '', queued: '' };

const ASKING = {
  provider: { kind: 'scripted', turns: [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }] },
  trustZone: 'local',
};

beforeAll(async () => {
  service = await HttpService.start();
  tokens.nobody = null;
  tokens.admin = await service.principal('root', { kind: 'person', admin: true });
  tokens.owner = await service.principal('olga', { kind: 'person' });
  tokens.granted = await service.principal('gina', { kind: 'person', grants: ['agent_approve'] });
  tokens.other = await service.principal('otto', { kind: 'person' });
  tokens.disabled = await service.principal('dora', { kind: 'person', admin: true, grants: ['agent_approve'] });
  await service.call('PUT', '/principals/dora', { body: { kind: 'person', enabled: false, admin: true } });
  for (const scope of ['run', 'read', 'approve', 'cancel']) {
    tokens[scope] = await service.principal(`can-${scope}`, { kind: 'service_account', scopes: [`agent:${scope}`] });
  }
  tokens.unscoped = await service.principal('bare', {
    kind: 'service_account',
    admin: true,
    grants: ['agent_approve'],
  });
  await service.call('PUT', '/configurations/asking', { body: ASKING });
  const start = async () =>
    (await service.call('POST', '/runs', { token: tokens.owner, body: { configurationId: 'asking', input: 'hi' } }))
      .body.id;
  runs.waiting = await start();
  await service.work(runs.waiting);
  runs.queued = await start();
});
afterAll(() => service.stop());

const CALLERS = [
  'nobody',
  'admin',
  'owner',
  'granted',
  'other',
  'disabled',
  'run',
  'read',
  'approve',
  'cancel',
  'unscoped',
] as const;

/** What a call for administrators comes to for everybody: the status of theirs is the only one that differs. */
function adminsOnly(name: string, method: string, path: string, status: number, body?: object): Row {
  return [name, method, () => path, body, 401, status, ...Array<number>(9).fill(403)];
}

type Row = [name: string, method: string, path: () => string, body: object | undefined, ...statuses: number[]];

const stale = { turnDigest: 'not the one', data: { amount: 1 } };

// In the order of CALLERS. An answer on a stale turn is refused with 409 to whoever reaches the run, so nothing changes.
const TABLE: Row[] = [
  ['start', 'POST', () => '/runs', {}, 401, 400, 400, 400, 400, 403, 400, 403, 403, 403, 403],
  ['list', 'GET', () => '/runs', undefined, 401, 200, 200, 200, 200, 403, 403, 200, 200, 403, 403],
  ['inbox', 'GET', () => '/inbox', undefined, 401, 200, 200, 200, 200, 403, 403, 200, 200, 403, 403],
  [
    'read waiting',
    'GET',
    () => `/runs/${runs.waiting}`,
    undefined,
    401,
    200,
    200,
    200,
    404,
    403,
    403,
    200,
    200,
    403,
    403,
  ],
  [
    'read queued',
    'GET',
    () => `/runs/${runs.queued}`,
    undefined,
    401,
    200,
    200,
    404,
    404,
    403,
    403,
    200,
    404,
    403,
    403,
  ],
  ['read unknown', 'GET', () => '/runs/unknown', undefined, 401, 404, 404, 404, 404, 403, 403, 404, 404, 403, 403],
  [
    'pause',
    'GET',
    () => `/runs/${runs.waiting}/pause`,
    undefined,
    401,
    200,
    200,
    200,
    404,
    403,
    403,
    403,
    200,
    403,
    403,
  ],
  ['form', 'GET', () => `/runs/${runs.waiting}/form`, undefined, 401, 200, 200, 200, 404, 403, 403, 403, 200, 403, 403],
  [
    'timeline',
    'GET',
    () => `/runs/${runs.waiting}/events`,
    undefined,
    401,
    200,
    200,
    200,
    404,
    403,
    403,
    200,
    200,
    403,
    403,
  ],
  ['answer', 'POST', () => `/runs/${runs.waiting}/input`, stale, 401, 409, 409, 409, 404, 403, 403, 403, 409, 403, 403],
  ['answer unknown', 'POST', () => '/runs/unknown/input', stale, 401, 404, 404, 404, 404, 403, 403, 403, 404, 403, 403],
  [
    'decide',
    'POST',
    () => `/runs/${runs.waiting}/approval`,
    { turnDigest: 'not the one', approved: true },
    401,
    409,
    409,
    409,
    404,
    403,
    403,
    403,
    409,
    403,
    403,
  ],
  [
    'decide unknown',
    'POST',
    () => '/runs/unknown/approval',
    { turnDigest: 'not the one', approved: false },
    401,
    404,
    404,
    404,
    404,
    403,
    403,
    403,
    404,
    403,
    403,
  ],
  [
    'resolve unknown',
    'POST',
    () => '/runs/unknown/resolution',
    { callId: 'c1', verdict: 'not_executed', note: 'looked it up' },
    401,
    404,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  [
    'erase unknown',
    'DELETE',
    () => '/runs/unknown/content',
    undefined,
    401,
    404,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  [
    'cancel unknown',
    'POST',
    () => '/runs/unknown/cancel',
    undefined,
    401,
    404,
    404,
    404,
    404,
    403,
    403,
    403,
    403,
    404,
    403,
  ],
  [
    'read a configuration',
    'GET',
    () => '/configurations/asking',
    undefined,
    401,
    200,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  ['put a configuration', 'PUT', () => '/configurations/x', {}, 401, 400, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  [
    'delete a configuration',
    'DELETE',
    () => '/configurations/x',
    undefined,
    401,
    404,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  [
    'read a principal',
    'GET',
    () => '/principals/olga',
    undefined,
    401,
    200,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  ['put a principal', 'PUT', () => '/principals/x', {}, 401, 400, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  [
    'issue a token',
    'POST',
    () => '/principals/nobody/tokens',
    {},
    401,
    404,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  [
    'list tokens',
    'GET',
    () => '/principals/olga/tokens',
    undefined,
    401,
    200,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  [
    'revoke a token',
    'DELETE',
    () => '/principals/olga/tokens/x',
    undefined,
    401,
    404,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
    403,
  ],
  adminsOnly('read what a configuration means', 'GET', '/configurations/asking/policy', 200),
  ...['configurations', 'snippets', 'skills', 'principals'].map((kind) =>
    adminsOnly(`list ${kind}`, 'GET', `/${kind}`, 200),
  ),
  ...['snippets', 'skills'].flatMap((kind) => [
    adminsOnly(`read ${kind}`, 'GET', `/${kind}/x`, 404),
    adminsOnly(`put ${kind}`, 'PUT', `/${kind}/x`, 400, {}),
    adminsOnly(`delete ${kind}`, 'DELETE', `/${kind}/x`, 404),
  ]),
  adminsOnly('read the enforcement', 'GET', '/policies/data-class-enforcement', 200),
  adminsOnly('put the enforcement', 'PUT', '/policies/data-class-enforcement', 400, {}),
  ['switch tool', 'PUT', () => '/tools/look', { enabled: true }, 401, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  ['tools', 'GET', () => '/tools', undefined, 401, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  ['audit', 'GET', () => '/audit', undefined, 401, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  ['me', 'GET', () => '/me', undefined, 401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200],
];

describe('SUB-1 who may make which call', () => {
  it.each(TABLE)('%s', async (_name, method, path, body, ...statuses) => {
    const found: Record<string, number> = {};
    for (const caller of CALLERS) {
      const answer = await service.call(method, path(), { token: tokens[caller], ...(body && { body }) });
      found[caller] = answer.status;
    }
    expect(found).toEqual(Object.fromEntries(CALLERS.map((caller, index) => [caller, statuses[index]])));
  });

  it('covers every call of the document', async () => {
    const document = (await service.request('GET', '/api/openapi.json')).body;
    const documented = Object.entries(document.paths as Record<string, object>)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(7)}`));
    const covered = TABLE.map(([, method, path]) => `${method} ${path()}`);
    for (const call of documented) {
      const pattern = new RegExp(`^${call.replaceAll(/\{\w+\}/g, '[^/ ]+')}$`);
      expect([call, covered.some((one) => pattern.test(one))]).toEqual([call, true]);
    }
  });

  it('a run of somebody else looks exactly like one that does not exist', async () => {
    for (const path of ['', '/pause', '/events']) {
      const [theirs, unknown] = await Promise.all([
        service.call('GET', `/runs/${runs.waiting}${path}`, { token: tokens.other }),
        service.call('GET', `/runs/${'0'.repeat(32)}${path}`, { token: tokens.other }),
      ]);
      expect(theirs.body).toEqual(unknown.body);
      expect(theirs.status).toBe(404);
    }
    const malformed = await service.call('GET', '/runs/no%20run%20has%20such%20an%20id', { token: tokens.other });
    expect(malformed.body.code).toBe('run-not-found');
  });

  it('lists hold only what the caller may reach', async () => {
    const listed = async (path: string, caller: string) =>
      (await service.call('GET', path, { token: tokens[caller] })).body.items.map(
        (item: { id?: string; runId?: string }) => item.id ?? item.runId,
      );
    expect(await listed('/runs', 'owner')).toEqual([runs.queued, runs.waiting]);
    expect(await listed('/runs', 'granted')).toEqual([runs.waiting]);
    expect(await listed('/runs', 'other')).toEqual([]);
    expect(await listed('/inbox', 'granted')).toEqual([runs.waiting]);
    expect(await listed('/inbox', 'other')).toEqual([]);
  });
});
