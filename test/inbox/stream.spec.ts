import { HttpService } from '../http/http-service.js';
import { RunTalk } from '../http/run-talk.js';
import { Browser } from '../support/browser.js';
import { type GuardedExecution, guardedTools } from '../support/guarded-tools.js';

/* What the pages of a browser are told while somebody looks at them: of the runs that they may see, for as long as they may. */

const ASK = { callId: 'a', toolName: 'ask', arguments: {} };
const GRANTED = { kind: 'person', enabled: true, grants: ['agent_approve'] };

let service: HttpService;
let talk: RunTalk;
let olga: string;
const executed: GuardedExecution[] = [];

beforeAll(async () => {
  service = await HttpService.start({ tools: guardedTools(executed) });
  talk = new RunTalk(service);
  olga = await service.principal('olga', { kind: 'person' });
});
afterAll(() => service.stop());

interface Following {
  /** Runs of which the pages were told, in order, so far. */
  readonly told: string[];
  /** Resolves once they were told of this run. */
  toldOf(runId: string): Promise<void>;
  readonly ended: Promise<void>;
  leave(): void;
}

async function follow(token: string): Promise<Following> {
  const browser = new Browser();
  const from = service.address;
  await browser.go(`${from}/inbox/sign-in`, { method: 'POST', from, fields: { token } });
  const gone = new AbortController();
  const headers = {
    cookie: `holdpoint-session=${browser.cookie('holdpoint-session')}`,
    'sec-fetch-site': 'same-origin',
  };
  const response = await fetch(`${from}/inbox/stream`, { headers, signal: gone.signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const told: string[] = [];
  const waiting = new Map<string, () => void>();
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      for (const [, runId = ''] of Buffer.from(chunk)
        .toString()
        .matchAll(/"runId":"(\w+)"/g)) {
        told.push(runId);
        waiting.get(runId)?.();
      }
    }
  };
  const ended = read().catch(() => {});
  const toldOf = (runId: string) =>
    new Promise<void>((resolve) => {
      waiting.set(runId, resolve);
      if (told.includes(runId)) resolve();
    });
  return { told, toldOf, ended, leave: () => gone.abort() };
}

describe('the stream of changes to the pages', () => {
  it('SUB-1 tells everybody of the runs that they may see, and of no other', async () => {
    const [owner, helper, other] = [
      await follow(olga),
      await follow(await service.principal('gina', GRANTED)),
      await follow(await service.principal('otto', { kind: 'person' })),
    ];
    const settledAtOnce = await talk.started(['end'], olga);
    await service.work(settledAtOnce);
    const waits = await talk.paused([[ASK], 'end'], olga);
    await Promise.all([owner.toldOf(settledAtOnce), owner.toldOf(waits), helper.toldOf(waits)]);
    // One of their own comes behind all of it: by then they would have been told.
    const own = await talk.started(['end'], await service.principal('otto', { kind: 'person' }));
    await other.toldOf(own);
    expect(helper.told).not.toContain(settledAtOnce);
    expect(new Set(other.told)).toEqual(new Set([own]));
    for (const { leave } of [owner, helper, other]) leave();
  });

  it('SUB-1 SUB-6 tells nothing more to whoever lost the grant, and ends for whoever was disabled', async () => {
    const token = await service.principal('hans', GRANTED);
    const helper = await follow(token);
    const first = await talk.paused([[ASK], 'end'], olga);
    await helper.toldOf(first);
    await service.call('PUT', '/principals/hans', { body: { ...GRANTED, grants: [] } });
    const second = await talk.paused([[ASK], 'end'], olga);
    // Changes are told in their order: with one of his own behind it, the other was judged while he had no grant.
    await helper.toldOf(await talk.started(['end'], token));
    await service.call('PUT', '/principals/hans', { body: GRANTED });
    const third = await talk.paused([[ASK], 'end'], olga);
    await helper.toldOf(third);
    expect(helper.told).not.toContain(second);
    await service.call('PUT', '/principals/hans', { body: { ...GRANTED, enabled: false } });
    const fourth = await talk.paused([[ASK], 'end'], olga);
    await helper.ended;
    expect(helper.told).not.toContain(fourth);
  });
});
