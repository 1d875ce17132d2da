import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { SystemClock } from '../../src/event-store/clock.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { openDisposable } from '../../src/subscriptions/disposable-database.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { CALM, type FaultPlan, type FeedFate, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { counted, entropy, TALLY_KIND, Tally, tallyCodec } from '../support/tally.js';
import { VirtualClock } from '../support/virtual-clock.js';

const FATES: readonly FeedFate[] = ['deliver', 'repeat', 'split', 'hold', 'drop'];

/** Goes through the given fates, then all is calm. */
function faults(fates: readonly FeedFate[]): FaultPlan {
  const left = [...fates];
  return { ...CALM, feedFate: () => left.shift() ?? 'deliver' };
}

/** One number each; `poison` marks one that cannot be read. */
function append(log: MemoryLog, stream: string, numbers: readonly (number | 'poison')[]): void {
  const events = log.read(`tally-${stream}`, 0);
  log.append(`tally-${stream}`, events.length === 0 ? 'no_stream' : events.length - 1, numbers.map(counted));
}

const someNumbers = fc.array(
  fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constant('poison' as const) }),
  {
    minLength: 1,
    maxLength: 5,
  },
);
const appends = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), someNumbers), { minLength: 1, maxLength: 12 });
const fates = fc.array(fc.constantFrom(...FATES), { maxLength: 30 });

describe('Rows of a consumer', () => {
  async function follow(log: MemoryLog, clock: VirtualClock, consumer: Tally, plan: FaultPlan, during = () => {}) {
    const store = new MemoryEventStore(log, plan);
    const runner = new FeedRunner(consumer, { store, codec: tallyCodec, clock, entropy });
    runner.start();
    await clock.settle();
    during();
    await clock.untilTrue(() => runner.position === log.head);
    return runner;
  }

  it('are those of a calm run, whatever the feed repeats, splits, delays or drops', async () => {
    await fc.assert(
      fc.asyncProperty(appends, appends, fates, async (before, after, plan) => {
        const log = new MemoryLog();
        for (const [stream, numbers] of before) append(log, stream, numbers);
        const clock = new VirtualClock();
        const troubled = new Tally();
        const runner = await follow(log, clock, troubled, faults(plan), () => {
          for (const [stream, numbers] of after) append(log, stream, numbers);
        });
        await runner.stop();
        const calm = new Tally();
        await (await follow(log, clock, calm, CALM)).stop();
        expect(troubled.rows()).toEqual(calm.rows());
        expect(troubled.progress.parked().map(({ position }) => position)).toEqual(
          calm.progress.parked().map(({ position }) => position),
        );
        expect(troubled.checkpoint()).toBe(log.head);
      }),
      { numRuns: 60 },
    );
  });

  describe('of two processes in one file', () => {
    const folder = scratchFolder();
    afterAll(() => folder.remove());

    it('are written once each, and either process can wait for them', async () => {
      let files = 0;
      await fc.assert(
        fc.asyncProperty(appends, appends, fates, fates, async (before, after, one, other) => {
          files += 1;
          const path = join(folder.path, `tally-${files}.sqlite`);
          const tallies = [openDisposable(path, TALLY_KIND), openDisposable(path, TALLY_KIND)].map(
            (file) => new Tally(file),
          );
          const [first, second] = tallies as [Tally, Tally];
          const log = new MemoryLog();
          for (const [stream, numbers] of before) append(log, stream, numbers);
          const clock = new VirtualClock();
          const following = follow(log, clock, first, faults(one));
          const runners = [
            await follow(log, clock, second, faults(other), () => {
              for (const [stream, numbers] of after) append(log, stream, numbers);
            }),
            await following,
          ];
          await clock.until(Promise.all(runners.map((runner) => runner.waitFor(log.head))));
          await Promise.all(runners.map((runner) => runner.stop()));
          const calm = new Tally();
          await (await follow(log, clock, calm, CALM)).stop();
          expect(second.rows()).toEqual(calm.rows());
          for (const tally of tallies) tally.database.close();
        }),
        { numRuns: 15 },
      );
    });

    it('wait for the write lock of the other without parking anything', async () => {
      const path = join(folder.path, 'locked.sqlite');
      const other = openDisposable(path, TALLY_KIND);
      const tally = new Tally(openDisposable(path, TALLY_KIND));
      const log = new MemoryLog();
      append(log, 'a', [1]);
      other.exec('BEGIN IMMEDIATE');
      const clock = new VirtualClock();
      const store = new MemoryEventStore(log);
      const runner = new FeedRunner(tally, { store, codec: tallyCodec, clock, entropy });
      runner.start();
      await clock.advance(60_000);
      expect(runner.reading()).toMatchObject({ state: 'retrying', failure: 'DatabaseUnavailable' });
      other.exec('COMMIT');
      await clock.untilTrue(() => runner.caughtUp);
      expect(tally.rows()).toEqual([{ stream: 'tally-a', revision: 0, n: 1 }]);
      expect(tally.progress.parked()).toEqual([]);
      await runner.stop();
      tally.database.close();
      other.close();
    });

    it('are not taken back by a process that mends a stream when the other is further already', async () => {
      const path = join(folder.path, 'mended.sqlite');
      const [mine, others] = [new Tally(openDisposable(path, TALLY_KIND)), new Tally(openDisposable(path, TALLY_KIND))];
      const log = new MemoryLog();
      const clock = new VirtualClock();
      append(log, 'a', [1, 2]);
      others.before = ({ data }) => {
        if (data.n === 1) throw new Error('not by this version');
      };
      const live = await follow(log, clock, others, CALM);
      let mending: Promise<FeedRunner> | undefined;
      // The head is looked up twice at once; the stream is read when the other process has gone on.
      let lookUps = 0;
      const goneOn = new Promise<void>((resolve) => {
        const plan: FaultPlan = {
          ...CALM,
          pause: async (point) => (point === 'read' && ++lookUps === 3 ? goneOn : undefined),
        };
        mending = follow(log, clock, mine, plan, () => {
          append(log, 'a', [3]);
          void clock.settle().then(resolve);
        });
      });
      const starting = await mending;
      await clock.settle();
      expect(mine.rows().map((row) => row.n)).toEqual([1, 2, 3]);
      expect(mine.progress.parked()).toEqual([]);
      expect(lookUps).toBe(6);
      await Promise.all([live.stop(), starting?.stop()]);
      mine.database.close();
      others.database.close();
    });
  });

  describe('in a disposable file', () => {
    const folder = scratchFolder();
    afterAll(() => folder.remove());

    it('come back the same when the file is deleted', async () => {
      const path = join(folder.path, 'tally.sqlite');
      const log = new MemoryLog();
      const clock = new VirtualClock();
      append(log, 'a', [1, 2, 'poison', 3]);
      append(log, 'b', [4]);
      const first = new Tally(openDisposable(path, TALLY_KIND));
      await (await follow(log, clock, first, CALM)).stop();
      const rows = first.rows();
      first.database.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      const second = new Tally(openDisposable(path, TALLY_KIND));
      await (await follow(log, clock, second, CALM)).stop();
      expect(second.rows()).toEqual(rows);
      expect(rows).toHaveLength(4);
      second.database.close();
    });
  });
});

describe('A feed runner on the log in a file', () => {
  const folder = scratchFolder();
  afterAll(() => folder.remove());

  it('takes in what this process and others append, and can be waited for', async () => {
    const path = join(folder.path, 'log.sqlite');
    const [store, others] = [SqliteEventStore.open({ path, pollMs: 5 }), SqliteEventStore.open({ path })];
    const tally = new Tally();
    const runner = new FeedRunner(tally, { store, codec: tallyCodec, clock: new SystemClock(), entropy });
    runner.start();
    await store.append('tally-a', 'no_stream', [counted(1), counted(2)]);
    const { position } = await others.append('tally-b', 'no_stream', [counted(3)]);
    await expect(runner.waitFor(position, { timeoutMs: 5_000 })).resolves.toBe(true);
    expect(tally.rows().map((row) => row.n)).toEqual([1, 2, 3]);
    expect(runner.caughtUp).toBe(true);
    await runner.stop();
    await Promise.all([store.close(), others.close()]);
  });
});
