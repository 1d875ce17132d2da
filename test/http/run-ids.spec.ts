import { expectFaults, expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';
import { RunTalk } from './run-talk.js';

/* Who names a run: the service alone. */

const ASK = { callId: 'a', toolName: 'ask', arguments: {} };
const RUN_ID = /^[0-9a-f]{32}$/;

let service: HttpService;
let talk: RunTalk;
let olga: string;
beforeAll(async () => {
  service = await HttpService.start();
  talk = new RunTalk(service);
  olga = await service.principal('olga', { kind: 'person' });
});
afterAll(() => service.stop());

describe('the id of a run', () => {
  it('is 128 bits of its own, which nothing about other runs tells', async () => {
    const first = await talk.started(['end']);
    const { configurationId } = await talk.read(first);
    const start = () => service.call('POST', '/runs', { body: { configurationId, input: 'go' } });
    const ids = [first, ...(await Promise.all(Array.from({ length: 40 }, start))).map(({ body }) => body.id)];
    expect(ids.filter((id) => !RUN_ID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    // Random bits are ones half of the time, at every place: a counter or a clock in them would show.
    const bits = ids.map((id) => BigInt(`0x${id}`).toString(2).padStart(128, '0'));
    const constant = [...(bits[0] as string)].filter((bit, at) => bits.every((one) => one[at] === bit));
    expect(constant).toEqual([]);
  });

  it('cannot be chosen: whatever a client sends as one is refused, and no run is overwritten', async () => {
    const id = await talk.paused([[ASK], 'end']);
    const [run, timeline] = [await talk.read(id), await talk.timeline(id)];
    const start = { configurationId: run.configurationId, input: 'mine' };
    for (const name of ['id', 'runId', 'run_id', '_id']) {
      expectFaults(await service.call('POST', '/runs', { body: { ...start, [name]: id } }), `/${name}`);
    }
    for (const [method, path] of [
      ['PUT', `/runs/${id}`],
      ['POST', `/runs/${id}`],
      ['PATCH', `/runs/${id}`],
      ['DELETE', `/runs/${id}`],
    ] as const) {
      expectProblem(await service.call(method, path, { body: start }), 'not-found');
    }
    const named = await service.call('POST', '/runs', { body: start, headers: { 'idempotency-key': id } });
    expect([named.status, named.body.id === id]).toEqual([202, false]);
    expect([await talk.read(id), await talk.timeline(id)]).toEqual([run, timeline]);
  });

  it('follows from an idempotency key for nobody but the service, and for each principal another', async () => {
    const { configurationId } = await talk.read(await talk.started(['end']));
    const start = (token?: string) =>
      service.call('POST', '/runs', {
        body: { configurationId, input: 'go' },
        headers: { 'idempotency-key': 'order-1' },
        ...(token && { token }),
      });
    const [mine, again, hers] = [await start(), await start(), await start(olga)];
    expect(again.body.id).toBe(mine.body.id);
    expect([hers.status, RUN_ID.test(hers.body.id), hers.body.id === mine.body.id]).toEqual([202, true, false]);
    // Another service, with another secret, makes another id of the same key: see `server-secret.ts`.
    expect(mine.body.id).not.toContain('order');
  });
});
