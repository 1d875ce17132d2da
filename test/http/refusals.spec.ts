import { Logger } from 'nestjs-pino';
import { CALM } from '../support/memory-event-store.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';

/* SUB-9: what is recorded of refused answers, and what becomes of a refusal that cannot be recorded. */

let service: HttpService;
let fate: 'commit' | 'refuse' | 'lose_after' = 'commit';
const lines: string[] = [];
const plan = {
  ...CALM,
  appendFate: (stream: string) => (stream.startsWith('refusal-') ? fate : ('commit' as const)),
};
let robot: string;
let runId: string;
let turnDigest: string;

beforeAll(async () => {
  service = await HttpService.start({ plan, log: (line) => lines.push(line) });
  service.app.useLogger(service.app.get(Logger));
  robot = await service.principal('robot', { kind: 'service_account', scopes: ['agent:approve'] });
});
afterAll(() => service.stop());
beforeEach(async () => {
  fate = 'commit';
  lines.length = 0;
  const turns = [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: { topic: 'orchid' } }] }];
  await service.call('PUT', '/configurations/c', {
    body: { provider: { kind: 'scripted', turns }, trustZone: 'local' },
  });
  runId = (await service.call('POST', '/runs', { body: { configurationId: 'c', input: 'x' } })).body.id;
  await service.work(runId);
  turnDigest = (await service.call('GET', `/runs/${runId}/pause`)).body.turnDigest;
});

const attempt = () =>
  service.call('POST', `/runs/${runId}/input`, {
    token: robot,
    body: { turnDigest, data: { amount: 1, note: 'snapdragon' } },
  });
const recorded = () => service.log.read(`refusal-${runId}`, 0);

describe('a refused answer', () => {
  it('SUB-9 INP-11 is recorded with who, how, why and on which turn, and nothing of what was sent', async () => {
    const refused = await attempt();
    expectProblem(refused, 'submitter-not-permitted', { toolName: 'ask', reason: 'service_account' });
    const [event, ...others] = recorded();
    expect(others).toEqual([]);
    expect(event?.type).toBe('AnswerRefused');
    expect(JSON.parse(event?.data ?? '')).toEqual({
      attemptedBy: 'robot',
      answer: 'input',
      refusal: 'submitter_not_permitted',
      reason: 'service_account',
      toolName: 'ask',
      sourceId: null,
      dataClass: null,
      zone: null,
      turnDigest,
    });
    const metadata = JSON.parse(event?.metadata ?? '');
    expect(metadata.actor).toEqual({ kind: 'principal', id: 'robot' });
    expect(metadata.$correlationId).toBe(refused.headers.get('x-request-id'));
    expect(JSON.stringify([event?.data, event?.metadata, lines])).not.toMatch(/snapdragon|orchid/);
  });

  it('SUB-9 is recorded each time, also where many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, attempt));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    expect(recorded()).toHaveLength(8);
  });

  it('SUB-9 stays refused where it cannot be recorded, and the log says both', async () => {
    fate = 'refuse';
    expectProblem(await attempt(), 'submitter-not-permitted', { toolName: 'ask', reason: 'service_account' });
    expect(recorded()).toEqual([]);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /could not be recorded/.test(msg));
    expect(told).toMatchObject([{ runId, attemptedBy: 'robot', toolName: 'ask', error: 'StoreUnavailable' }]);
    expect(JSON.stringify(lines)).not.toMatch(/snapdragon|orchid/);
    expect((await service.call('GET', `/runs/${runId}`)).body.status).toBe('waiting_for_input');
  });

  it('SUB-9 is recorded once where the store took it and did not say so', async () => {
    fate = 'lose_after';
    expect((await attempt()).status).toBe(403);
    expect(recorded()).toHaveLength(1);
  });
});
