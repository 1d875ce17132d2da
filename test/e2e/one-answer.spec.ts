import type { Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * Two real processes on one log. What one of them accepts, both know; of any number of answers to a pause one is taken.
 */
describe.each(STORES)('a pause that many people answer, on %s', (_name, open) => {
  const services: Service[] = [];
  let store: StoreUnderTest;

  beforeAll(async () => {
    const env = { HOLDPOINT_DEMO: '1' };
    store = await open();
    services.push(await store.startNode(env));
    services.push(await store.startNode(env));
  }, 120_000);

  afterAll(() => store.remove());

  const [one, other] = [() => services[0] as Service, () => services[1] as Service];

  async function pausedRun() {
    const started = await one().call('POST', '/runs', { configurationId: 'demo', input: 'go' }, { prefer: 'wait=20' });
    expect(started.body.status).toBe('waiting_for_input');
    const path = `/runs/${started.body.id}`;
    const { body: pause } = await one().call('GET', `${path}/pause`);
    return { path, turnDigest: pause.turnDigest as string, callId: pause.requests[0].callId as string };
  }

  it('TRN-4 TRN-5 INP-1 takes one of 50 different valid answers from two processes, and tells the others so', async () => {
    const { path, turnDigest, callId } = await pausedRun();
    const bodyOf = (floor: number) => ({
      turnDigest,
      answers: { [callId]: { date: '2030-05-02', slot: 'morning', floor } },
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, floor) =>
        (floor % 2 === 0 ? one() : other()).call('POST', `${path}/input`, bodyOf(floor)),
      ),
    );
    const winners = answers.flatMap(({ body }, floor) => (body.submission === 'accepted' ? [floor] : []));
    expect(winners).toHaveLength(1);
    const losers = answers.filter(({ body }) => body.submission !== 'accepted');
    expect(losers.map(({ status, body }) => [status, body.code])).toEqual(losers.map(() => [409, 'already-answered']));

    const [winner = -1] = winners;
    const replay = await other().call('POST', `${path}/input`, bodyOf(winner), { prefer: 'wait=20' });
    expect(replay.body).toMatchObject({ submission: 'replayed', status: 'completed' });

    const { body: timeline } = await other().call('GET', `${path}/events`);
    const countOf = (type: string) => timeline.items.filter((event: { type: string }) => event.type === type).length;
    expect(countOf('InputSubmitted')).toBe(1);
    expect(timeline.items.filter((event: { callId?: string }) => event.callId === callId)).toHaveLength(1);
  }, 60_000);

  it('TRN-5 CLM-4 SUB-12 takes one of many decisions on a write from two processes; it is recorded, then executed once', async () => {
    const refund = { toolName: 'issue_refund', arguments: { orderId: '1', amountCents: 100 } };
    const provider = { kind: 'scripted', turns: [{ calls: [refund] }, { text: 'the end' }] };
    await one().call('PUT', '/configurations/refund', { provider, trustZone: 'local' });
    const start = { configurationId: 'refund', input: 'go' };
    const { body: run } = await one().call('POST', '/runs', start, { prefer: 'wait=20' });
    const { turnDigest } = run.pause;
    const decided = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const decision = { turnDigest, approved: true, comment: `by ${index}` };
        return (index % 2 === 0 ? one() : other()).call('POST', `/runs/${run.id}/approval`, decision);
      }),
    );
    // Another comment is another decision; only what is the same to the letter is recognised as a repeat.
    expect(decided.map(({ body }) => body.submission ?? body.code).sort()).toEqual([
      'accepted',
      ...decided.slice(1).map(() => 'already-answered'),
    ]);
    await one().call('POST', '/runs', start, { prefer: 'wait=20' });
    while ((await other().call('GET', `/runs/${run.id}`)).body.status !== 'completed');
    const { body: timeline } = await other().call('GET', `/runs/${run.id}/events`);
    const types = timeline.items.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => /Decided|ToolCall/.test(type))).toEqual([
      'ApprovalDecided',
      'ToolCallStarted',
      'ToolCallCompleted',
    ]);
  }, 60_000);

  it('INP-3 changes nothing for an invalid answer, a hundred times in a row, and then takes a valid one', async () => {
    const { path, turnDigest, callId } = await pausedRun();
    const before = await one().call('GET', path);
    const eventsBefore = await one().call('GET', `${path}/events?limit=200`);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const service = attempt % 2 === 0 ? one() : other();
      const { status, body } = await service.call('POST', `${path}/input`, {
        turnDigest,
        answers: { [callId]: { attempt } },
      });
      expect([status, body.code]).toEqual([422, 'invalid-input']);
    }
    expect((await one().call('GET', path)).body).toEqual(before.body);
    expect((await one().call('GET', `${path}/events?limit=200`)).body).toEqual(eventsBefore.body);
    const data = { date: '2030-05-02', slot: 'evening' };
    const taken = await other().call('POST', `${path}/input`, { turnDigest, data }, { prefer: 'wait=20' });
    expect(taken.body).toMatchObject({ submission: 'accepted', status: 'completed' });
  }, 60_000);

  it('CLM-1 lets both processes work on one log: many runs, each done once', async () => {
    const started = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one() : other()).call(
          'POST',
          '/runs',
          { configurationId: 'demo', input: 'go' },
          { prefer: 'wait=30' },
        ),
      ),
    );
    expect(new Set(started.map(({ body }) => body.status))).toEqual(new Set(['waiting_for_input']));
    for (const { body } of started) {
      const { body: timeline } = await other().call('GET', `/runs/${body.id}/events`);
      expect(timeline.items.map((event: { type: string }) => event.type)).toEqual([
        'RunStarted',
        'RunClaimed',
        'ModelResponded',
        'ToolCallCompleted',
        'ModelResponded',
        'RunSuspendedForInput',
      ]);
    }
  }, 60_000);
});
