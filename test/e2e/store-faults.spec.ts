import { setTimeout as pause } from 'node:timers/promises';
import { compileOnBuild } from '../support/compiled-processes.js';
import { EventFollower } from '../support/event-follower.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { HeldLedger } from '../support/held-ledger.js';
import { scratchFolder } from '../support/scratch-folder.js';
import type { Answer, Service } from '../support/service.js';
import { KurrentDbUnderTest } from '../support/store-under-test.js';

/*
 * What a client of the interface sees while the server that keeps the log does what servers and networks do. One process
 * of the service lives through all of it. On the double, also where `ESDB_URL` names a server: a fault has to happen at
 * its moment. How SQLite is away, interface-document.spec.ts shows.
 */

/** The interface answers within this, whatever the store does: five seconds of patience, the call under way then, and room. */
const DEADLINE_MS = 10_000;

/** How long a lease is: longer than the longest absence, so that a segment under way keeps its run. */
const LEASE_SECONDS = 40;

const TURNS = [
  { calls: [{ toolName: 'ask', arguments: { amount: -1 } }] },
  { calls: [{ toolName: 'refund', arguments: { cents: 5 } }] },
  { text: 'the end' },
];

const STORY = [
  'RunStarted',
  'ModelResponded',
  'RunSuspendedForInput',
  'InputSubmitted',
  'ToolCallCompleted',
  'ModelResponded',
  'RunSuspendedForApproval',
  'ApprovalDecided',
  'ToolCallStarted',
  'ToolCallCompleted',
  'ModelResponded',
  'RunCompleted',
];

describe('the interface, while KurrentDB', () => {
  const compiled = scratchFolder();
  let double: EventStoreDouble;
  let store: KurrentDbUnderTest;
  let ledger: HeldLedger;
  let service: Service;
  let program: string;
  const runs: string[] = [];
  const followers: EventFollower[] = [];

  const start = () =>
    store.startNode(
      { LEDGER: ledger.address, HOLDPOINT_LEASE_SECONDS: `${LEASE_SECONDS}`, HOLDPOINT_LOG_LEVEL: 'fatal' },
      { program, node: 0 },
    );

  beforeAll(async () => {
    double = await EventStoreDouble.start();
    store = new KurrentDbUnderTest(double.connectionString, double);
    ledger = await HeldLedger.open();
    program = compileOnBuild(compiled.path, 'service-with-ledger-tools');
    service = await start();
    const provider = { kind: 'scripted', turns: TURNS };
    await service.call('PUT', '/configurations/story', { provider, trustZone: 'local' });
  }, 60_000);

  afterEach(async () => {
    for (const follower of followers.splice(0)) follower.leave();
    ledger.whileExecuting = async () => {};
    await double.heals();
    await double.returns();
  });

  afterAll(async () => {
    await store.remove();
    await ledger.close();
    compiled.remove();
  });

  /** Starts a run, or finds the one of this key. */
  function startRun(key: string): Promise<Answer> {
    return service.call('POST', '/runs', { configurationId: 'story', input: 'go' }, { 'idempotency-key': key });
  }

  /** The digest of the turn at which a run waits, once it does. */
  async function standing(runId: string, kind: 'input' | 'approval') {
    for (;;) {
      const { status, body } = await service.call('GET', `/runs/${runId}`);
      if (status === 200 && body.pause?.kind === kind) return body.pause.turnDigest as string;
      expect([200, 503]).toContain(status);
      expect(body.outcome).toBeUndefined();
      await pause(20);
    }
  }

  /** Repeats a call until it is taken, as a client does that is told that this is safe. */
  async function persist(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await inTime(call());
      if (answer.status < 300) return answer;
      expectStoreUnavailable(answer);
      await pause(100);
    }
  }

  function follow(runId: string): EventFollower {
    const follower = new EventFollower(service, `/runs/${runId}`);
    followers.push(follower);
    return follower;
  }

  async function inTime<T>(answer: Promise<T>): Promise<T> {
    const since = performance.now();
    const came = await answer;
    expect(performance.now() - since).toBeLessThan(DEADLINE_MS);
    return came;
  }

  function expectStoreUnavailable({ status, headers, body }: Answer): void {
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '1', 'store-unavailable']);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  }

  const ready = async () => (await inTime(service.request('GET', '/health/ready', { token: null }))).status;

  async function untilReady(): Promise<void> {
    while ((await ready()) !== 200) await pause(50);
  }

  interface Fault {
    readonly strike: () => Promise<void>;
    /** What becomes of a start and of an answer meanwhile; `accepted_alone` where both at once would share one fault. */
    readonly told: 'refused' | 'accepted' | 'accepted_alone';
    /** Nothing can be read meanwhile, so that the process is not ready. */
    readonly unreadable: boolean;
    readonly heal: () => Promise<void>;
  }

  /** Heals whatever comes of it, so that the next test has a store. */
  async function during<T>({ strike, heal }: Pick<Fault, 'strike' | 'heal'>, work: () => Promise<T>): Promise<T> {
    await strike();
    try {
      return await work();
    } finally {
      await heal();
    }
  }

  const switched = (
    faults: Parameters<EventStoreDouble['breaks']>[0],
    told: Fault['told'],
    unreadable = false,
  ): Fault => ({ strike: () => double.breaks(faults), told, unreadable, heal: () => double.heals() });

  const FAULTS: Readonly<Record<string, Fault>> = {
    'loses the connection before an append is written': switched({ dropBeforeCommit: 1 }, 'accepted_alone'),
    'loses the connection after an append was written': switched({ dropAfterCommit: 1 }, 'accepted_alone'),
    'loses it after every append': switched({ dropAfterCommit: 1_000_000 }, 'refused'),
    'answers no append': switched({ hang: ['append'] }, 'refused'),
    'answers nothing': switched({ hang: ['append', 'read', 'subscribe', 'delete'] }, 'refused', true),
    'is not ready': switched({ notReady: true }, 'refused', true),
    'crashes, and starts again on the same port': {
      strike: () => double.crashes(),
      told: 'refused',
      unreadable: true,
      heal: () => double.restarts(),
    },
    'sends the checkpoint 2^64−1, and ends subscriptions twice': {
      strike: async () => {
        await double.breaks({ endCheckpoint: true });
        await double.endsSubscriptions();
      },
      told: 'accepted',
      unreadable: false,
      heal: async () => {
        await double.endsSubscriptions();
        await double.heals();
      },
    },
  };

  it.each(Object.entries(FAULTS))(
    'CLM-6 CLM-7 %s: tells so in time, loses and doubles nothing, and goes on by itself',
    async (name, { strike, told, unreadable, heal }) => {
      const key = name.replaceAll(/\W+/g, '-');
      const waiting = (await persist(() => startRun(`waiting-${key}`))).body.id as string;
      const turnDigest = await standing(waiting, 'input');
      const answer = () => service.call('POST', `/runs/${waiting}/input`, { turnDigest, data: { amount: 7 } });
      const follower = follow(waiting);

      const [started, answered] = await during({ strike, heal }, async () => {
        // The service repeats the append that was hit, with the same ids, and nobody is told of it.
        const alone = told === 'accepted_alone' ? await inTime(answer()) : null;
        const both = await Promise.all([inTime(startRun(`during-${key}`)), alone ?? inTime(answer())]);
        for (const each of both) {
          if (told === 'refused') expectStoreUnavailable(each);
          else expect(each.status).toBe(202);
        }
        if (unreadable) {
          expectStoreUnavailable(await inTime(service.call('GET', `/runs/${waiting}`)));
          expect(await ready()).toBe(503);
        }
        return both;
      });

      // What was acknowledged is there, and what is repeated is there once.
      const ids = [(await persist(() => startRun(`during-${key}`))).body.id, (await startRun(`during-${key}`)).body.id];
      expect(new Set([...ids, started.body.id ?? ids[0]]).size).toBe(1);
      const taken = await persist(answer);
      expect(answered.status === 202 ? ['replayed'] : ['accepted', 'replayed']).toContain(taken.body.submission);
      expect((await persist(answer)).body.submission).toBe('replayed');

      await approvedToItsEnd(waiting);
      await standing(ids[0], 'input');
      await untilReady();
      await follower.done;
      await judge(waiting, follower);
    },
    60_000,
  );

  async function approvedToItsEnd(runId: string): Promise<void> {
    const decision = { turnDigest: await standing(runId, 'approval'), approved: true };
    await persist(() => service.call('POST', `/runs/${runId}/approval`, decision));
    for (;;) {
      const { body } = await persist(() => service.call('GET', `/runs/${runId}`));
      if (body.outcome !== undefined) return;
      await pause(20);
    }
  }

  /** The log has the whole story once; whoever followed it saw all of it, in its order; the write happened once. */
  async function judge(runId: string, follower: EventFollower): Promise<void> {
    runs.push(runId);
    const { body: run } = await service.call('GET', `/runs/${runId}`);
    expect(run).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'the end' } });
    const { body: timeline } = await service.call('GET', `/runs/${runId}/events?limit=200`);
    const events: { type: string; sequence: number }[] = timeline.items;
    const besides = ['RunClaimed', 'LeaseExtended', 'RunRequeued'];
    expect(events.map(({ type }) => type).filter((type) => !besides.includes(type))).toEqual(STORY);
    expect(follower.events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
    expect(ledger.of(runId, 'refund')).toHaveLength(1);
  }

  it('CLM-2 CLM-4 CLM-6 cannot be reached for ten seconds in the middle of a write, which executes once', async () => {
    const waiting = (await startRun('waits-for-its-return')).body.id as string;
    const inputDigest = await standing(waiting, 'input');
    const writing = (await startRun('writes-meanwhile')).body.id as string;
    const data = { amount: 7 };
    await service.call('POST', `/runs/${writing}/input`, { turnDigest: await standing(writing, 'input'), data });
    const decision = { turnDigest: await standing(writing, 'approval'), approved: true };
    const [ofWaiting, ofWriting] = [follow(waiting), follow(writing)];
    let isAway = () => {};
    const away = new Promise<void>((resolve) => {
      isAway = resolve;
    });
    ledger.whileExecuting = async ({ toolName }) => {
      if (toolName !== 'refund') return;
      await double.leaves();
      isAway();
    };
    await service.call('POST', `/runs/${writing}/approval`, decision);
    await away;

    const since = performance.now();
    let refused = 0;
    while (performance.now() - since < 10_000) {
      const answer = service.call('POST', `/runs/${waiting}/input`, { turnDigest: inputDigest, data });
      for (const each of await Promise.all([inTime(startRun('meanwhile')), inTime(answer)]))
        expectStoreUnavailable(each);
      expect(await ready()).toBe(503);
      refused += 2;
      await pause(200);
    }
    expect(refused).toBeGreaterThan(10);
    ledger.whileExecuting = async () => {};
    await double.returns();

    await persist(() => startRun('meanwhile'));
    const answer = () => service.call('POST', `/runs/${waiting}/input`, { turnDigest: inputDigest, data });
    expect((await persist(answer)).body.submission).toBe('accepted');
    await approvedToItsEnd(waiting);
    await ofWriting.done;
    await ofWaiting.done;
    await untilReady();
    await judge(writing, ofWriting);
    await judge(waiting, ofWaiting);
    // Nobody took the run over: the segment that began the write also recorded what came of it.
    expect(ofWriting.events.filter(({ type }) => type === 'RunSuspendedForResolution')).toEqual([]);
    expect(ofWriting.connections).toBeGreaterThan(1);
  }, 120_000);

  it('is as it should be again, the same process has told the audit everything, once', async () => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await service.call('GET', `/audit?limit=200&cursor=${cursor}`);
      for (const { kind, subject } of body.items) found.push(`${kind} ${subject.id}`);
      if (body.nextCursor === null) break;
      cursor = body.nextCursor;
    }
    const told = found.filter((line) => /^(InputSubmitted|ApprovalDecided) /.test(line));
    const expected = runs.flatMap((runId) => [`InputSubmitted ${runId}`, `ApprovalDecided ${runId}`]);
    expect(runs).toHaveLength(Object.keys(FAULTS).length + 2);
    expect([...told].sort()).toEqual([...expected].sort());
    expect(new Set(ledger.executions.map(({ pid }) => pid))).toEqual(new Set([service.pid]));
    expect(service.output).not.toMatch(/"level":60/);
  }, 60_000);
});
