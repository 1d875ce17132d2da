import { ADMIN_TOKEN, HttpService } from './http-service.js';
import { RunTalk } from './run-talk.js';

const ASK = { callId: 'a', toolName: 'ask', arguments: {} };

let service: HttpService;
let talk: RunTalk;
beforeAll(async () => {
  service = await HttpService.start();
  talk = new RunTalk(service);
  const provider = { kind: 'scripted', turns: [{ text: 'the end' }] };
  await service.call('PUT', '/configurations/short', { body: { provider } });
});
afterAll(() => service.stop());

async function follow(
  runId: string,
  headers: Record<string, string> = {},
  token = ADMIN_TOKEN,
  { signal } = new AbortController(),
): Promise<Response> {
  return fetch(`${service.address}/api/v1/runs/${runId}/events`, {
    signal,
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

  it('are told once each, in their order, through connections that break', async () => {
    const run = await talk.paused([[ASK], 'end']);
    const told: number[] = [];
    /** Goes on behind what was told, and loses the connection as soon as this event has come; null: keeps it to its end. */
    const connection = async (breaksAfter: number | null) => {
      const gone = new AbortController();
      const last = told.at(-1);
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': String(last) };
      const { body } = await follow(run, headers, ADMIN_TOKEN, gone);
      let text = '';
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk).toString();
        if (breaksAfter !== null && idsIn(text).includes(breaksAfter)) break;
      }
      gone.abort();
      told.push(...idsIn(text).filter((id) => breaksAfter === null || id <= breaksAfter));
    };
    await connection(1);
    const during = connection(4);
    await talk.submit(run, { data: { amount: 1 } });
    await during;
    await service.work(run);
    await connection(null);
    const stored = (await talk.timeline(run)).length;
    expect(told).toEqual(Array.from({ length: stored }, (_, sequence) => sequence));
  });

  it('are over for a client that comes behind the end, and it is told to come no more', async () => {
    const run = await startRun();
    await service.work(run);
    const settled = (await talk.timeline(run)).length - 1;
    for (const last of [settled, settled + 1, 999_999_999_999_999]) {
      const response = await follow(run, { 'last-event-id': String(last) });
      expect([last, response.status, await response.text()]).toEqual([last, 204, '']);
    }
    // Content that was erased since is told of, and then there is nothing more.
    expect((await service.call('DELETE', `/runs/${run}/content`)).status).toBe(204);
    const erased = await follow(run, { 'last-event-id': String(settled) });
    expect(idsIn(await erased.text())).toEqual([settled + 1]);
  });

  it('end with the run also for a client that is ahead of it', async () => {
    const run = await startRun();
    const told = (await follow(run, { 'last-event-id': '1000' })).text();
    await service.work(run);
    expect(idsIn(await told)).toEqual([]);
  });

  it('INP-12 are not needed to see what a run waits for: it is there for whoever comes, whatever they missed', async () => {
    const run = await talk.paused([[ASK], 'end']);
    const sequence = (await talk.timeline(run)).length - 1;
    const gone = new AbortController();
    await follow(run, { 'last-event-id': String(sequence) }, ADMIN_TOKEN, gone);
    gone.abort();
    const elsewhere = await service.principal('gina', { kind: 'person', grants: ['agent_approve'] });
    for (const token of [ADMIN_TOKEN, elsewhere]) {
      const { body } = await service.call('GET', `/runs/${run}/pause`, { token });
      expect(body).toMatchObject({ kind: 'input', requests: [{ callId: 'a' }] });
      const inbox = (await service.call('GET', '/inbox', { token })).body.items;
      expect(inbox).toContainEqual(expect.objectContaining({ runId: run, turnDigest: body.turnDigest }));
    }
  });

  it('SUB-1 end for a helper when the run waits no more, and when the grant goes away, before anything else is told', async () => {
    const granted = { kind: 'person', enabled: true, grants: ['agent_approve'] };
    const token = await service.principal('hans', granted);
    const answered = await talk.paused([[ASK], 'end']);
    const kept = await talk.paused([[ASK], 'end']);
    const streams = await Promise.all([answered, kept].map((run) => follow(run, {}, token)));
    const told = streams.map((stream) => stream.text());
    await service.call('PUT', '/principals/hans', { body: { ...granted, grants: [] } });
    await service.call('POST', `/runs/${kept}/cancel`);
    await service.call('PUT', '/principals/hans', { body: granted });
    await talk.submit(answered, { data: { amount: 1 } });
    await service.work(answered);
    const [first, second] = await Promise.all(told);
    for (const text of [first, second]) expect(text).toContain('"RunSuspendedForInput"');
    for (const word of ['InputSubmitted', 'RunCompleted']) expect(first).not.toContain(word);
    expect(second).not.toContain('RunCancelled');
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
