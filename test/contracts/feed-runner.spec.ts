import { StoreUnavailable } from '../../src/event-store/errors.js';
import { BEGINNING } from '../../src/event-store/event-store.js';
import { DatabaseUnavailable } from '../../src/sqlite/errors.js';
import { RetryLater } from '../../src/subscriptions/feed-consumer.js';
import { type FeedReport, FeedRunner, type FeedRunnerOptions } from '../../src/subscriptions/feed-runner.js';
import { CALM, type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { counted, entropy, ignored, Tally, tallyCodec } from '../support/tally.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('A feed runner', () => {
  let log: MemoryLog;
  let clock: VirtualClock;
  let tally: Tally;
  let reports: FeedReport[];
  const running: FeedRunner[] = [];

  beforeEach(() => {
    log = new MemoryLog();
    clock = new VirtualClock();
    tally = new Tally();
    reports = [];
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((runner) => runner.stop()));
  });

  function runnerOf(consumer: Tally, plan: FaultPlan = CALM, options: FeedRunnerOptions = {}): FeedRunner {
    const store = new MemoryEventStore(log, plan);
    const report = (found: FeedReport) => reports.push(found);
    const runner = new FeedRunner(consumer, { store, codec: tallyCodec, clock, entropy }, { report, ...options });
    running.push(runner);
    return runner;
  }

  function run(consumer = tally, plan: FaultPlan = CALM, options: FeedRunnerOptions = {}): FeedRunner {
    const runner = runnerOf(consumer, plan, options);
    runner.start();
    return runner;
  }

  const numbers = () => tally.rows().map((row) => row.n);
  const tries = (n: number) => {
    let count = 0;
    tally.before = ({ data }) => {
      if (data.n !== n) return;
      count += 1;
      throw new TypeError('the number 3 is in this message');
    };
    return () => count;
  };

  it('takes in what is there and what comes, in order', async () => {
    log.append('tally-a', 'no_stream', [counted(1), counted(2)]);
    run();
    await clock.settle();
    log.append('tally-b', 'no_stream', [counted(3)]);
    await clock.settle();
    expect(numbers()).toEqual([1, 2, 3]);
    expect(tally.checkpoint()).toBe(log.head);
  });

  it('resumes from the checkpoint of its consumer', async () => {
    log.append('tally-a', 'no_stream', [counted(1)]);
    const first = run();
    await clock.settle();
    await first.stop();
    log.append('tally-a', 0, [counted(2)]);
    tally.batches.length = 0;
    run();
    await clock.settle();
    expect(tally.batches).toEqual([1]);
    expect(numbers()).toEqual([1, 2]);
  });

  it('reads nothing of types that its consumer does not want', async () => {
    const wanting = Object.assign(tally, { types: new Set(['Counted']) });
    const unreadable = { ...ignored(), data: 'not JSON' };
    log.append('tally-a', 'no_stream', [counted(1), unreadable, counted(2)]);
    run(wanting);
    await clock.settle();
    expect(numbers()).toEqual([1, 2]);
    expect(reports).toEqual([]);
  });

  it('records a position that brought no event at most once a second, and when it stops', async () => {
    const runner = run();
    await clock.settle();
    log.append('other-a', 'no_stream', [ignored()]);
    await clock.settle();
    const recorded = tally.checkpoint();
    log.append('other-a', 0, [ignored()]);
    await clock.settle();
    expect(tally.checkpoint()).toBe(recorded);
    expect(runner.position).toBe(log.head);
    await runner.stop();
    expect(tally.checkpoint()).toBe(log.head);
  });

  describe('with an event that cannot be taken in', () => {
    it('parks one that cannot be read, without its content, and goes on', async () => {
      log.append('tally-a', 'no_stream', [counted(1), counted('a secret'), counted(2)]);
      run();
      await clock.settle();
      expect(numbers()).toEqual([1, 2]);
      expect(tally.progress.parked()).toEqual([
        {
          position: log.events[1]?.position,
          stream: 'tally-a',
          revision: 1,
          type: 'Counted',
          errorClass: 'schema',
          parkedAt: '2030-01-01T00:00:00.000Z',
        },
      ]);
      expect(reports).toEqual([{ kind: 'parked', consumer: 'tally', event: tally.progress.parked()[0] }]);
    });

    it('tries one on which the consumer fails a bounded number of times, then parks it and goes on', async () => {
      log.append('tally-a', 'no_stream', [1, 2, 3, 4].map(counted));
      const count = tries(3);
      run(tally, CALM, { attempts: 4 });
      await clock.untilTrue(() => tally.checkpoint() === log.head);
      expect(numbers()).toEqual([1, 2, 4]);
      // Once with its batch, four times alone.
      expect(count()).toBe(5);
      expect(tally.progress.parked()).toMatchObject([{ revision: 2, errorClass: 'TypeError' }]);
      expect(JSON.stringify(reports, (_, value) => String(value))).not.toContain('number 3');
    });

    it('takes in an event that fails only once', async () => {
      log.append('tally-a', 'no_stream', [counted(1), counted(2)]);
      let failed = false;
      tally.before = () => {
        if (failed) return;
        failed = true;
        throw new Error('once');
      };
      run();
      await clock.untilTrue(() => tally.checkpoint() === log.head);
      expect(numbers()).toEqual([1, 2]);
      expect(tally.progress.parked()).toEqual([]);
    });

    it.each([
      ['its own file is away', () => new DatabaseUnavailable('busy', false)],
      ['the store is away', () => new StoreUnavailable('away', false)],
      ['it is the wrong moment', () => new RetryLater('not now')],
    ])('never parks because %s', async (_, failure) => {
      log.append('tally-a', 'no_stream', [counted(1)]);
      let failures = 0;
      tally.before = () => {
        failures += 1;
        if (failures <= 40) throw failure();
      };
      run();
      await clock.untilTrue(() => tally.checkpoint() === log.head);
      expect(numbers()).toEqual([1]);
      expect(failures).toBe(41);
      expect(tally.progress.parked()).toEqual([]);
    });

    it('stops where nothing may be parked, says so, and goes on once it can be read', async () => {
      log.append('tally-a', 'no_stream', [counted(1), counted(2), counted(3)]);
      tries(2);
      const runner = run(tally, CALM, { haltOnPoison: true });
      await clock.untilTrue(() => runner.reading().state === 'halted');
      expect(numbers()).toEqual([1]);
      expect(runner.reading().failure).toBe('TypeError');
      expect(reports.at(-1)).toMatchObject({ kind: 'halted', consumer: 'tally', event: { revision: 1 } });
      tally.before = () => {};
      await clock.untilTrue(() => tally.checkpoint() === log.head);
      expect(numbers()).toEqual([1, 2, 3]);
      expect(runner.reading()).toMatchObject({ state: 'following', failure: null, behindMs: 0 });
    });

    it('takes in the whole stream at the next start, when it can be read by then', async () => {
      log.append('tally-a', 'no_stream', [1, 2, 3].map(counted));
      tries(2);
      const first = run();
      await clock.untilTrue(() => tally.checkpoint() === log.head);
      await first.stop();
      expect(numbers()).toEqual([1, 3]);
      tally.before = () => {};
      run();
      await clock.settle();
      expect(numbers()).toEqual([1, 2, 3]);
      expect(tally.progress.parked()).toEqual([]);
      expect(reports.at(-1)).toEqual({ kind: 'replayed', consumer: 'tally', stream: 'tally-a' });
    });
  });

  describe('when the feed is lost', () => {
    it('subscribes again from where it was, with growing pauses', async () => {
      let drops = 0;
      const plan: FaultPlan = { ...CALM, feedFate: () => (++drops <= 6 ? 'drop' : 'deliver') };
      log.append('tally-a', 'no_stream', [counted(1)]);
      const startedAt = clock.now();
      run(tally, plan);
      await clock.untilTrue(() => numbers().length === 1);
      // Pauses of 50, 100, … 1600 ms, each shortened by at most half.
      expect(clock.now() - startedAt).toBeGreaterThanOrEqual(3150 / 2);
      expect(clock.now() - startedAt).toBeLessThanOrEqual(3150);
      expect(reports.map((report) => report.kind)).toEqual(Array(6).fill('retrying'));
    });

    it('reads how long it has been without the log, and nothing once it is back', async () => {
      let away = true;
      const plan: FaultPlan = { ...CALM, feedFate: () => (away ? 'drop' : 'deliver') };
      const runner = run(tally, plan);
      await clock.advance(10_000);
      expect(runner.reading()).toMatchObject({ state: 'retrying', failure: 'StoreUnavailable', behindMs: 10_000 });
      expect(runner.caughtUp).toBe(false);
      away = false;
      await clock.untilTrue(() => runner.caughtUp);
      expect(runner.reading()).toMatchObject({ state: 'following', failure: null, behindMs: 0 });
    });
  });

  it('stops after the batch under way, and takes in nothing after it', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const apply = tally.apply.bind(tally);
    const slow = Object.assign(tally, {
      apply: async (...batch: Parameters<Tally['apply']>) => {
        await held;
        apply(...batch);
      },
    });
    log.append('tally-a', 'no_stream', [counted(1)]);
    const runner = run(slow);
    await clock.settle();
    log.append('tally-a', 0, [counted(2)]);
    const stopped = runner.stop();
    await clock.settle();
    expect(numbers()).toEqual([]);
    release();
    await stopped;
    expect(numbers()).toEqual([1]);
    expect(runner.reading().state).toBe('stopped');
  });

  it('stops at once between two tries', async () => {
    log.append('tally-a', 'no_stream', [counted(1)]);
    tally.before = () => {
      throw new RetryLater('not now');
    };
    const runner = run();
    await clock.settle();
    await runner.stop();
    expect(numbers()).toEqual([]);
    expect(tally.checkpoint()).toBe(BEGINNING);
  });

  describe('waiting for a position', () => {
    it('is over at once when it is reached already', async () => {
      log.append('tally-a', 'no_stream', [counted(1)]);
      const runner = run();
      await clock.settle();
      await expect(runner.waitFor(log.head)).resolves.toBe(true);
    });

    it('is over when what was written there can be read: read your own writes', async () => {
      const runner = run();
      await clock.settle();
      const { position } = log.append('tally-a', 'no_stream', [counted(7)]);
      await expect(runner.waitFor(position, { timeoutMs: 1_000 })).resolves.toBe(true);
      expect(numbers()).toEqual([7]);
    });

    it('ends with no after its time, at its signal, and when the runner stops', async () => {
      const runner = runnerOf(tally);
      await expect(clock.until(runner.waitFor(5n, { timeoutMs: 200 }))).resolves.toBe(false);
      const leaving = new AbortController();
      const left = runner.waitFor(5n, { signal: leaving.signal });
      leaving.abort();
      await expect(left).resolves.toBe(false);
      await expect(runner.waitFor(5n, { signal: leaving.signal })).resolves.toBe(false);
      const waiting = runner.waitFor(5n);
      await runner.stop();
      await expect(waiting).resolves.toBe(false);
      await expect(runner.waitFor(5n)).resolves.toBe(false);
    });
  });
});
