import { CALM } from '../support/memory-event-store.js';
import { HttpService } from './http-service.js';

/*
 * SUB-1: a run that is out of reach looks like one that does not exist, also in how much is looked up for it. Every read of
 * the event store and of the key store is counted.
 */

let service: HttpService;
let reads = 0;
const counting = {
  ...CALM,
  pause: async (point: string) => {
    if (point === 'read') reads += 1;
  },
};

const runs: Record<string, string> = {};
let stranger: string;

beforeAll(async () => {
  service = await HttpService.start({ plan: counting });
  const owner = await service.principal('olga', { kind: 'person' });
  stranger = await service.principal('otto', { kind: 'person' });
  const start = async (name: string, toolName: string) => {
    const turns = [{ calls: [{ callId: 'c1', toolName, arguments: {} }] }];
    const body = { provider: { kind: 'scripted', turns }, trustZone: 'local' };
    await service.call('PUT', '/configurations/c', { body });
    const request = { token: owner, body: { configurationId: 'c', input: 'x' } };
    const { id } = (await service.call('POST', '/runs', request)).body;
    await service.work(id);
    runs[name] = id;
    return id;
  };
  await start('waiting for input', 'ask');
  await start('waiting for approval', 'refund');
  await start('settled', 'look');
  const cancelled = await start('cancelled', 'ask');
  await service.call('POST', `/runs/${cancelled}/cancel`);
});
afterAll(() => service.stop());

const UNKNOWN = '0'.repeat(32);
const DIGEST = 'a'.repeat(64);
const CALLS: readonly [method: string, path: string, body: object | null][] = [
  ['GET', '', null],
  ['GET', '/pause', null],
  ['GET', '/events', null],
  ['POST', '/input', { turnDigest: DIGEST, data: { amount: 1 } }],
  ['POST', '/approval', { turnDigest: DIGEST, approved: true }],
  ['POST', '/cancel', null],
];

describe('SUB-1 a run out of reach', () => {
  it.each(CALLS)('answers %s /runs/:id%s as an unknown one does, after as many reads', async (method, path, body) => {
    const ask = async (runId: string) => {
      reads = 0;
      const options = { token: stranger, ...(body && { body }) };
      const { status, body: problem, headers } = await service.call(method, `/runs/${runId}${path}`, options);
      const told = [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name)).sort();
      return { status, problem, told, reads };
    };
    await ask(UNKNOWN);
    const unknown = await ask(UNKNOWN);
    expect(unknown.status).toBe(404);
    for (const [name, runId] of Object.entries(runs)) expect([name, await ask(runId)]).toEqual([name, unknown]);
  });
});
