import { ADMIN_TOKEN, HttpService } from '../http/http-service.js';
import { RunTalk, type ScriptedCall } from '../http/run-talk.js';
import { Browser, type Visit } from '../support/browser.js';
import { declaredRoutes } from '../support/declared-routes.js';
import { type GuardedExecution, guardedTools } from '../support/guarded-tools.js';
import { RemovableTools } from '../support/removable-tools.js';

/*
 * Deciding on the pages: by a button that a person pressed, once, whatever else looks at the pages or answers elsewhere.
 */

let service: HttpService;
let talk: RunTalk;
const executed: GuardedExecution[] = [];
const tools = new RemovableTools();

beforeAll(async () => {
  guardedTools(executed, tools);
  service = await HttpService.start({ tools });
  talk = new RunTalk(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  executed.length = 0;
  tools.removed.clear();
});

const REFUND: ScriptedCall = { callId: 'a', toolName: 'refund', arguments: {} };
const ASK: ScriptedCall = { callId: 'a', toolName: 'ask', arguments: {} };

async function signedIn(token = ADMIN_TOKEN): Promise<Browser> {
  const browser = new Browser();
  const from = service.address;
  await browser.go(`${from}/inbox/sign-in`, { method: 'POST', from, fields: { token } });
  return browser;
}

function post(browser: Browser, below: string, fields: Record<string, string>): Promise<Visit> {
  return browser.go(`${service.address}/inbox${below}`, { method: 'POST', from: service.address, fields });
}

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status);

describe('a decision on a page', () => {
  it.each([undefined, '', 'true', 'false', 'yes', '1', 'null', 'Approve', 'approve ', 'constructor', '__proto__'])(
    'is what its buttons say and nothing else: %j decides nothing',
    async (decision) => {
      const browser = await signedIn();
      const id = await talk.paused([[REFUND], 'end']);
      const before = service.log.events.length;
      const fields = { turn: await talk.digest(id), approved: 'true', ...(decision === undefined ? {} : { decision }) };
      expect((await post(browser, `/runs/${id}/decision`, fields)).status).toBe(400);
      expect(service.log.events).toHaveLength(before);
      expect(await talk.read(id)).toMatchObject({ status: 'waiting_for_approval' });
    },
  );

  it.each([undefined, '', 'a'.repeat(64)])(
    'TRN-3 that names another turn than the one that waits is none: %j',
    async (turn) => {
      const browser = await signedIn();
      const id = await talk.paused([[REFUND], 'end']);
      const before = service.log.events.length;
      const fields = { decision: 'approve', ...(turn === undefined ? {} : { turn }) };
      expect((await post(browser, `/runs/${id}/decision`, fields)).status).toBe(409);
      expect(service.log.events).toHaveLength(before);
    },
  );
});

describe('the pages and the interface at the same moment', () => {
  it('CLM-1 TRN-5 one of a yes here and a no there counts, it never changes, and the tool runs at most once', async () => {
    const browser = await signedIn();
    const id = await talk.paused([[REFUND], 'end']);
    const turn = await talk.digest(id);
    const decided = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0
          ? post(browser, `/runs/${id}/decision`, { turn, decision: 'approve' })
          : talk.decide(id, false, turn),
      ),
    );
    const [decision, ...more] = (await talk.timeline(id)).filter(({ type }) => type === 'ApprovalDecided');
    const { approved } = decision as unknown as { approved: boolean };
    expect(more).toEqual([]);
    const [yes, no] = [decided.filter((_, index) => index % 2 === 0), decided.filter((_, index) => index % 2 === 1)];
    // Whoever repeats what counts is told that it was accepted, everybody else that somebody was first.
    expect([statuses(yes), statuses(no)]).toEqual(
      approved
        ? [
            [303, 303, 303],
            [409, 409, 409],
          ]
        : [
            [409, 409, 409],
            [202, 202, 202],
          ],
    );
    await service.work(id);
    expect(executed).toHaveLength(approved ? 1 : 0);
    expect(
      statuses([
        await post(browser, `/runs/${id}/decision`, { turn, decision: 'deny' }),
        await talk.decide(id, true, turn),
      ]),
    ).toEqual(approved ? [409, 202] : [303, 409]);
    await expect(service.work(id)).rejects.toThrow('not_claimable');
    expect(executed).toHaveLength(approved ? 1 : 0);
  });

  it('CLM-1 TRN-5 one of two answers counts, and is the one that the tool gets', async () => {
    const browser = await signedIn();
    const id = await talk.paused([[ASK], 'end']);
    const turn = await talk.digest(id);
    const [here, there] = await Promise.all([
      post(browser, `/runs/${id}/answer`, { turn, intent: 'send', '/a/amount': '1' }),
      talk.submit(id, { turnDigest: turn, data: { amount: 2 } }),
    ]);
    expect([
      [303, 409],
      [409, 202],
    ]).toContainEqual(statuses([here, there]));
    await service.work(id);
    expect(executed.map(({ arguments: given }) => given)).toEqual([{ amount: here.status === 303 ? 1 : 2 }]);
    if (here.status === 409) expect(here.text).toContain('admin answered this request first');
  });
});

describe('looking at a page', () => {
  it('decides nothing, whatever looks: people, previews of links, scanners of mail', async () => {
    const waiting = [await talk.paused([[REFUND], 'end']), await talk.paused([[ASK], 'end'])];
    const browser = await signedIn();
    const before = service.log.events.length;
    const routes = declaredRoutes().flatMap((route) => (/^GET \/inbox/.test(route) ? [route.slice(4)] : []));
    expect(routes.length).toBeGreaterThan(5);
    const looks: Record<string, string>[] = [
      {},
      { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender' },
      { 'user-agent': 'Slackbot-LinkExpanding 1.0', accept: '*/*' },
    ];
    for (const route of [
      ...routes,
      '/inbox/runs/{id}/answer',
      '/inbox/runs/{id}/decision',
      '/inbox/runs/{id}/cancel',
    ]) {
      // The stream of changes has no end.
      if (route === '/inbox/stream') continue;
      for (const id of waiting) {
        const turn = await talk.digest(id);
        const path = route.replaceAll(/\{\w+\}/g, id);
        for (const headers of looks) {
          for (const method of ['GET', 'HEAD'] as const) {
            for (const who of [browser, new Browser()]) {
              const query = `?decision=approve&approved=true&intent=send&turn=${turn}`;
              const { status } = await who.go(service.address + path + query, { method, headers });
              expect([path, method, status < 500]).toEqual([path, method, true]);
            }
          }
        }
      }
    }
    expect(service.log.events).toHaveLength(before);
    expect(executed).toEqual([]);
  });
});

describe('a form that is open', () => {
  it('SUB-1 SUB-2 is refused when the grant went away meanwhile, and nothing of it is taken', async () => {
    const granted = { kind: 'person', enabled: true, grants: ['agent_approve'] };
    const browser = await signedIn(await service.principal('gina', granted));
    const ids = [await talk.paused([[ASK], 'end']), await talk.paused([[REFUND], 'end'])];
    for (const id of ids) expect((await browser.go(`${service.address}/inbox/runs/${id}`)).status).toBe(200);
    const [ask, refund] = ids as [string, string];
    const [input, yes] = [
      { turn: await talk.digest(ask), intent: 'send', '/a/amount': '1' },
      { turn: await talk.digest(refund), decision: 'approve' },
    ];
    await service.call('PUT', '/principals/gina', { body: { ...granted, grants: [] } });
    const before = service.log.events.length;
    expect((await post(browser, `/runs/${ask}/answer`, input)).status).toBe(404);
    expect((await post(browser, `/runs/${refund}/decision`, yes)).status).toBe(404);
    expect(service.log.events).toHaveLength(before);
    await service.call('PUT', '/principals/gina', { body: { ...granted, enabled: false } });
    // No session of somebody disabled counts: they are led to sign in.
    const disabled = await post(browser, `/runs/${refund}/decision`, yes);
    expect([disabled.status === 202, (await talk.read(refund)).status]).toEqual([false, 'waiting_for_approval']);
    await service.call('PUT', '/principals/gina', { body: granted });
    expect((await talk.submit(ask, { data: { amount: 1 } })).status).toBe(202);
  });

  it('SUB-2 says that a tool of it is gone, and is refused by its name; with the tool back it is answered', async () => {
    const browser = await signedIn();
    const id = await talk.paused([[ASK], 'end']);
    const page = async () => (await browser.go(`${service.address}/inbox/runs/${id}`)).text;
    const answer = { turn: await talk.digest(id), intent: 'send', '/a/amount': '1' };
    expect(await page()).not.toContain('Not registered any more');
    tools.removed.add('ask');
    expect(await page()).toContain('Not registered any more: ask.');
    const refused = await post(browser, `/runs/${id}/answer`, answer);
    expect([refused.status, refused.text.includes('value="1"')]).toEqual([403, true]);
    tools.removed.clear();
    expect((await post(browser, `/runs/${id}/answer`, answer)).status).toBe(303);
  });
});
