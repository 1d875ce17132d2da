import { join } from 'node:path';
import type { NewRunEvent } from '../../src/events/run-events.js';
import { DUE_FILE, DUE_QUERIES } from '../../src/sagas/due-file.js';
import { DueTable } from '../../src/sagas/due-table.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { openDisposable } from '../../src/subscriptions/disposable-database.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import {
  approvalDecided,
  callCompleted,
  callStarted,
  completed,
  inputSubmitted,
  modelResponded,
  runClaimed,
  runStarted,
  suspendedForApproval,
  suspendedForInput,
} from '../support/run-history.js';
import { RunWriter } from '../support/run-writer.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { VirtualClock } from '../support/virtual-clock.js';

const LATER = '2030-01-01T00:10:00.000Z';
const LATER_MS = Date.parse(LATER);
const CALLS = [{ callId: 'c1', toolName: 'refund', disposition: 'approval' as const }];

const requeued: NewRunEvent = { type: 'RunRequeued', data: { reason: 'timeout', attempt: 1, notBefore: LATER } };
const extended: NewRunEvent = { type: 'LeaseExtended', data: { claimId: 'claim-1', leaseExpiresAt: LATER } };
const released: NewRunEvent = { type: 'RunReleased', data: { reason: 'context_blocked' } };
const resolved: NewRunEvent = {
  type: 'CallResolved',
  data: { callId: 'c1', verdict: 'executed', resolvedBy: 'ada' },
  content: { result: null, note: '' },
};
const forResolution: NewRunEvent = { type: 'RunSuspendedForResolution', data: { callId: 'c1', toolName: 'refund' } };
const failed: NewRunEvent = { type: 'RunFailed', data: { reason: 'not_retryable', errorClass: 'none' } };
const cancelled: NewRunEvent = { type: 'RunCancelled', data: { cancelledBy: 'olga' } };
const erased: NewRunEvent = { type: 'RunContentErased', data: { scope: 'working', reason: 'settled' } };

describe('The due table', () => {
  let clock: VirtualClock;
  let writer: RunWriter;
  let table: DueTable;
  let wakes: number[];
  let lost: string[];
  const running: FeedRunner[] = [];

  beforeEach(() => {
    clock = new VirtualClock();
    writer = new RunWriter(clock);
    wakes = [];
    lost = [];
    table = DueTable.open(':memory:', { onDue: (dueAtMs) => wakes.push(dueAtMs), onLost: (runId) => lost.push(runId) });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((runner) => runner.stop()));
  });

  async function follow(consumer = table): Promise<FeedRunner> {
    const { store, codec, entropy } = writer;
    const runner = new FeedRunner(consumer, { store, codec, clock, entropy }, { attempts: 2 });
    running.push(runner);
    runner.start();
    await clock.untilTrue(() => runner.position === writer.log.head);
    return runner;
  }

  /** The table after a run went through the events, each a second after the one before. */
  async function dueAfter(...events: NewRunEvent[]): Promise<number | null> {
    await follow();
    for (const event of events) {
      await clock.advance(1_000);
      await writer.write('r1', event);
    }
    await clock.settle();
    return table.nextDueAt();
  }

  const claimedRun = [runStarted(), runClaimed()];
  const answeredModel = [...claimedRun, modelResponded(CALLS)];

  it('LIF-1 has a run due at once when it is started', async () => {
    expect(await dueAfter(runStarted())).toBe(clock.now());
  });

  it.each([
    ['an answer to an input pause', [...answeredModel, suspendedForInput('c1'), inputSubmitted()]],
    ['an approval', [...answeredModel, suspendedForApproval('c1'), approvalDecided(true)]],
    ['a denial', [...answeredModel, suspendedForApproval('c1'), approvalDecided(false)]],
    ['a resolution', [...answeredModel, callStarted('c1', 'non_idempotent_write'), forResolution, resolved]],
  ])('LIF-1 has a run due at once after %s', async (_, events) => {
    expect(await dueAfter(...events)).toBe(clock.now());
  });

  it('CLM-5 has a run that was requeued due when its pause is over', async () => {
    expect(await dueAfter(...claimedRun, requeued)).toBe(LATER_MS);
  });

  it('CLM-3 has a claimed run due when its lease runs out, and an extended lease later', async () => {
    expect(await dueAfter(runStarted(), runClaimed({ leaseExpiresAt: '2030-01-01T00:01:00.000Z' }))).toBe(
      Date.parse('2030-01-01T00:01:00.000Z'),
    );
    await writer.write('r1', extended);
    await clock.settle();
    expect(table.nextDueAt()).toBe(LATER_MS);
  });

  it.each([
    ['waits for input', [...answeredModel, suspendedForInput('c1')]],
    ['waits for approval', [...answeredModel, suspendedForApproval('c1')]],
    ['waits for a resolution', [...answeredModel, callStarted('c1', 'non_idempotent_write'), forResolution]],
    ['was released to its pause', [...answeredModel, suspendedForApproval('c1'), approvalDecided(true), released]],
    ['completed', [...claimedRun, completed]],
    ['failed', [...claimedRun, failed]],
    ['was cancelled', [...claimedRun, cancelled]],
    ['was erased after it settled', [...claimedRun, completed, erased]],
  ])('INP-13 never has a run due that %s', async (_, events) => {
    expect(await dueAfter(...events)).toBeNull();
    expect(table.take(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  it('leaves the time as it is for what a segment records', async () => {
    const dueAt = await dueAfter(...answeredModel, callStarted('c1', 'read_only'), callCompleted('c1'));
    expect(dueAt).toBe(Date.parse('2030-01-01T00:01:00.000Z'));
  });

  it('tells at once when something became due, and which run was settled', async () => {
    await dueAfter(runStarted());
    expect(wakes).toEqual([clock.now()]);
    await writer.write('r1', requeued);
    await writer.write('r1', cancelled);
    await clock.settle();
    expect(wakes.slice(1)).toEqual([LATER_MS]);
    expect(lost).toEqual(['r1']);
  });

  describe('when it is asked for due runs', () => {
    beforeEach(async () => {
      await follow();
      for (const runId of ['r1', 'r2', 'r3']) {
        await writer.write(runId, runStarted());
        await clock.advance(1_000);
      }
    });

    it('gives those longest due first, as many as wanted', () => {
      expect(table.take(clock.now(), 2)).toEqual(['r1', 'r2']);
    });

    it('gives none before its time', () => {
      expect(table.take(clock.now() - 1_500, 10)).toEqual(['r1', 'r2']);
    });

    it('leaves out what is in hand already', () => {
      expect(table.take(clock.now(), 1, new Set(['r1', 'r2']))).toEqual(['r3']);
      expect(table.nextDueAt(new Set(['r1', 'r2']))).toBe(clock.now() + 5_000);
    });

    it('leaves a run alone for some seconds after it was taken, then gives it again', async () => {
      expect(table.take(clock.now(), 10)).toEqual(['r1', 'r2', 'r3']);
      await clock.advance(4_999);
      expect(table.take(clock.now(), 10)).toEqual([]);
      await clock.advance(1);
      expect(table.take(clock.now(), 10)).toEqual(['r1', 'r2', 'r3']);
    });

    it('has a run that was taken due at once when it is answered meanwhile', async () => {
      table.take(clock.now(), 10);
      await writer.write('r2', ...answeredModel.slice(1), suspendedForInput('c1'), inputSubmitted());
      await clock.settle();
      expect(table.take(clock.now(), 10)).toEqual(['r2']);
    });

    it('counts what is due', () => {
      expect(table.countDue(clock.now())).toBe(3);
      table.take(clock.now(), 2);
      expect(table.countDue(clock.now())).toBe(1);
    });

    it('defers a run, but never to an earlier time, and none that needs no worker', () => {
      table.take(clock.now(), 10);
      table.defer('r1', clock.now() + 60_000, clock.now());
      table.defer('r2', clock.now(), clock.now());
      table.defer('unknown', clock.now(), clock.now());
      expect(table.take(clock.now() + 5_000, 10)).toEqual(['r2', 'r3']);
      expect(table.nextDueAt(new Set(['r2', 'r3']))).toBe(clock.now() + 60_000);
    });

    it('asks an index, never the whole table', () => {
      const database = openDisposable(':memory:', DUE_FILE);
      const plans = Object.values(DUE_QUERIES).flatMap((query) =>
        database
          .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`)
          .all()
          .map((step) => step.detail),
      );
      expect(plans).toEqual([
        'SEARCH due USING COVERING INDEX due_by_time (due_at>?)',
        'SEARCH due USING COVERING INDEX due_by_time (due_at<?)',
        'CO-ROUTINE (subquery-1)',
        'SEARCH due USING COVERING INDEX due_by_time (due_at<?)',
        'SCAN (subquery-1)',
        'SEARCH due USING COVERING INDEX due_by_owner (owner_id=? AND due_at<?)',
        'SEARCH due USING COVERING INDEX due_by_owner (owner_id=? AND due_at>?)',
        'SEARCH turns USING COVERING INDEX turns_in_line (turn>?)',
        'SEARCH turns USING COVERING INDEX turns_in_line (turn>?)',
        'SEARCH turns USING INDEX turns_to_come (due_at<?)',
        'SEARCH due USING COVERING INDEX due_by_time (due_at>?)',
      ]);
    });
  });

  describe('of a worker that is not the first to look', () => {
    let places: Map<string, number>;
    let slotMs: number;
    const heeded: string[] = [];

    beforeEach(async () => {
      places = new Map();
      slotMs = 300;
      heeded.length = 0;
      table = DueTable.open(
        ':memory:',
        {},
        {
          heed: (event) => heeded.push(event.type),
          placeOf: (stream, holderId) => (holderId === 'test' ? 9 : (places.get(stream) ?? 0)),
          slotMs: () => slotMs,
          now: () => clock.now(),
        },
      );
      await follow();
    });

    it('has a run due when those before it had their time, from when the news came', async () => {
      places.set('run-r1', 2);
      const startedAt = clock.now();
      await writer.write('r1', runStarted());
      await clock.settle();
      expect(table.nextDueAt()).toBe(startedAt + 600);
      expect(table.take(startedAt + 599, 10)).toEqual([]);
      expect(table.take(startedAt + 600, 10)).toEqual(['r1']);
    });

    it('has a run due at once where it is the first, also when the clock that wrote the event is ahead', async () => {
      const ahead = new RunWriter({ now: () => clock.now() + 5_000, wait: () => Promise.resolve() });
      await ahead.write('r1', runStarted());
      const { codec, log } = ahead;
      table.apply(
        log.events.map((event) => codec.decode(event)),
        log.head,
      );
      expect(table.nextDueAt()).toBe(clock.now());
    });

    it('gives those before it more time when the news take longer by now, but only once', async () => {
      places.set('run-r1', 1);
      const startedAt = clock.now();
      await writer.write('r1', runStarted());
      await clock.settle();
      slotMs = 1_000;
      expect(table.take(startedAt + 300, 10)).toEqual([]);
      expect(table.nextDueAt()).toBe(startedAt + 1_000);
      expect(table.take(startedAt + 1_000, 10)).toEqual(['r1']);
    });

    it('counts the holder of a lease that runs out as the last', async () => {
      await writer.write('r1', runStarted(), runClaimed({ leaseExpiresAt: LATER }));
      await clock.settle();
      expect(table.nextDueAt()).toBe(LATER_MS + 9 * 300);
    });

    it('takes its own runs first, then those that it comes soonest to, in the order of time and of owners', async () => {
      for (const [index, runId] of ['a1', 'a2', 'a3', 'b1', 'b2'].entries()) {
        places.set(`run-${runId}`, [2, 1, 0, 1, 0][index] as number);
        await writer.write(runId, runStarted({ ownerId: runId[0] as string }));
        await clock.advance(1);
      }
      await clock.advance(10_000);
      expect(table.take(clock.now(), 3)).toEqual(['a3', 'b2', 'a2']);
      expect(table.take(clock.now(), 3)).toEqual(['b1', 'a1']);
    });

    it('keeps a run of another’s back for ten seconds, whatever it has to do itself', async () => {
      places.set('run-old', 1);
      await writer.write('old', runStarted());
      const taken: string[] = [];
      for (let second = 0; second < 15; second += 1) {
        await writer.write(`own-${second}`, runStarted());
        await clock.advance(1_000);
        const [runId = 'none'] = table.take(clock.now(), 1);
        taken.push(runId);
        await writer.write(runId, runClaimed({ leaseExpiresAt: LATER }));
        await clock.settle();
      }
      expect(taken.indexOf('old')).toBeGreaterThanOrEqual(9);
      expect(taken.indexOf('old')).toBeLessThanOrEqual(12);
    });

    it('learns from every event before it looks', async () => {
      await writer.write('r1', runStarted(), runClaimed());
      await clock.settle();
      expect(heeded).toEqual(['RunStarted', 'RunClaimed']);
    });
  });

  describe('with an event that cannot be read', () => {
    it('stops that run only', async () => {
      await writer.write('r1', runStarted());
      writer.writeUnreadable('r1', 'RunRequeued');
      await writer.write('r1', requeued);
      await writer.write('r2', runStarted());
      await follow();
      expect(table.take(clock.now(), 10)).toEqual(['r2']);
      expect(table.nextDueAt(new Set(['r2']))).toBeNull();
      expect(table.parked()).toMatchObject([{ stream: 'run-r1', revision: 1, type: 'RunRequeued' }]);
    });

    it('is not concerned by events that say nothing of when', async () => {
      await writer.write('r1', runStarted());
      writer.writeUnreadable('r1', 'ModelResponded');
      await follow();
      expect(table.take(clock.now(), 10)).toEqual(['r1']);
      expect(table.parked()).toEqual([]);
    });
  });

  describe('in a file', () => {
    const folder = scratchFolder();
    afterAll(() => folder.remove());

    async function someRuns(): Promise<void> {
      for (const runId of ['r1', 'r2', 'r3', 'r4']) await writer.write(runId, runStarted());
      await writer.write('r2', runClaimed());
      await writer.write('r3', runClaimed(), completed);
    }

    it('is given to one of two processes', async () => {
      const path = join(folder.path, 'shared.sqlite');
      const [one, other] = [DueTable.open(path), DueTable.open(path)];
      await someRuns();
      await Promise.all([follow(one), follow(other)]);
      const taken = [one.take(clock.now(), 1), other.take(clock.now(), 1), one.take(clock.now(), 1)];
      expect(taken).toEqual([['r1'], ['r4'], []]);
      for (const runner of running.splice(0)) await runner.stop();
      one.close();
      other.close();
    });

    it('wakes the process that finds an event written down by the other already', async () => {
      const path = join(folder.path, 'woken.sqlite');
      const woken: string[] = [];
      const one = DueTable.open(path, { onDue: () => woken.push('one') });
      const other = DueTable.open(path, { onDue: () => woken.push('other') });
      await Promise.all([follow(one), follow(other)]);
      await writer.write('r1', runStarted());
      await clock.settle();
      expect(woken.sort()).toEqual(['one', 'other']);
      for (const runner of running.splice(0)) await runner.stop();
      one.close();
      other.close();
    });

    it('gives nothing while another process writes, and loses nothing', async () => {
      const path = join(folder.path, 'locked.sqlite');
      const one = DueTable.open(path);
      await someRuns();
      await follow(one);
      const other = openDatabase(path);
      other.exec('BEGIN IMMEDIATE');
      expect(one.take(clock.now(), 10)).toEqual([]);
      expect(() => one.defer('r1', clock.now() + 1, clock.now())).not.toThrow();
      other.exec('COMMIT');
      expect(one.take(clock.now(), 10)).toEqual(['r1', 'r4']);
      await running.pop()?.stop();
      other.close();
      one.close();
    });

    it('gives nothing while it is made anew from the log, then wakes and gives what is due', async () => {
      await someRuns();
      const anew = DueTable.open(join(folder.path, 'anew.sqlite'), { onDue: (dueAtMs) => wakes.push(dueAtMs) });
      anew.begin();
      const { codec, log } = writer;
      anew.apply(
        log.events.filter(({ type }) => anew.types.has(type)).map((event) => codec.decode(event)),
        log.head,
      );
      expect(anew.take(clock.now(), 10)).toEqual([]);
      expect(anew.nextDueAt()).toBeNull();
      expect(wakes).toEqual([]);
      anew.reachedEnd();
      expect(wakes).toEqual([clock.now()]);
      expect(anew.take(clock.now(), 10)).toEqual(['r1', 'r4']);
      anew.close();
    });
  });
});
