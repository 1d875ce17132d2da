import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { NewRunEvent } from '../../src/events/run-events.js';
import { RunChanges } from '../../src/projections/runs/run-changes.js';
import { RunsProjection } from '../../src/projections/runs/runs-projection.js';
import { RunsTable } from '../../src/projections/runs/runs-table.js';
import type { FeedReport } from '../../src/subscriptions/feed-runner.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { CALM, type FaultPlan, type FeedFate, MemoryEventStore } from '../support/memory-event-store.js';
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
import { someSteps, walk } from '../support/run-walk.js';
import { RunWriter } from '../support/run-writer.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { VirtualClock } from '../support/virtual-clock.js';

const FATES: readonly FeedFate[] = ['deliver', 'repeat', 'split', 'hold', 'drop'];
const someFates = fc.array(fc.constantFrom(...FATES), { maxLength: 20 });
const someRuns = fc.array(someSteps, { minLength: 1, maxLength: 4 });

/** Goes through the given fates, then all is calm. */
function faults(fates: readonly FeedFate[]): FaultPlan {
  const left = [...fates];
  return { ...CALM, feedFate: () => left.shift() ?? 'deliver' };
}

describe('The projection of runs', () => {
  const folder = scratchFolder();
  let clock: VirtualClock;
  let writer: RunWriter;
  let files = 0;

  beforeEach(() => {
    clock = new VirtualClock();
    writer = new RunWriter(clock);
  });
  afterAll(() => folder.remove());

  function aPath(): string {
    files += 1;
    return join(folder.path, `runs-${files}.sqlite`);
  }

  class Reader {
    readonly table: RunsTable;
    readonly projection: RunsProjection;
    readonly runner: FeedRunner;
    readonly reports: FeedReport[] = [];

    constructor(path = ':memory:', plan: FaultPlan = CALM) {
      const { codec, entropy, log } = writer;
      const store = new MemoryEventStore(log, plan);
      this.table = RunsTable.open(path);
      this.projection = new RunsProjection(this.table, new RunChanges(clock));
      const report = (found: FeedReport) => this.reports.push(found);
      this.runner = new FeedRunner(this.projection, { store, codec, clock, entropy }, { report, attempts: 2 });
    }

    async follow(): Promise<this> {
      this.runner.start();
      await clock.settle();
      await clock.untilTrue(() => this.runner.position >= writer.log.head);
      return this;
    }

    async end(): Promise<void> {
      await this.runner.stop();
      this.table.close();
    }

    rows() {
      return this.table.list([{}], undefined, 1_000);
    }
  }

  /** Writes the walks, their appends among one another. */
  async function write(runs: readonly (readonly number[])[], prefix = 'r'): Promise<void> {
    const walks = runs.map((steps) => walk(steps));
    for (let place = 0; walks.some((appends) => place < appends.length); place += 1) {
      for (const [index, appends] of walks.entries()) {
        const append = appends[place];
        if (append !== undefined) await writer.write(`${prefix}${index}`, ...append);
      }
    }
  }

  it('comes to the same rows whatever the feed repeats, splits, delays or drops, and again from nothing', async () => {
    await fc.assert(
      fc.asyncProperty(someRuns, someRuns, someFates, async (before, after, fates) => {
        clock = new VirtualClock();
        writer = new RunWriter(clock);
        await write(before);
        const troubled = new Reader(':memory:', faults(fates));
        troubled.runner.start();
        await clock.settle();
        await write(after, 's');
        await troubled.follow();
        const fromNothing = await new Reader().follow();
        expect(troubled.rows()).toEqual(fromNothing.rows());
        expect(troubled.rows()).toHaveLength(before.length + after.length);
        await troubled.end();
        await fromNothing.end();
      }),
      { numRuns: 40 },
    );
  });

  it('comes to the same rows when its file is deleted', async () => {
    const path = aPath();
    await write([
      [0, 0, 4, 0, 3],
      [0, 0, 2, 0, 0],
      [0, 0, 0, 0],
    ]);
    const first = await new Reader(path).follow();
    const rows = first.rows();
    await first.end();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    const second = await new Reader(path).follow();
    expect(second.rows()).toEqual(rows);
    expect(rows).toHaveLength(3);
    await second.end();
  });

  it('is written by two processes that share a file as by one', async () => {
    const path = aPath();
    const readers = [new Reader(path, faults(['split', 'drop', 'hold'])), new Reader(path, faults(['hold', 'repeat']))];
    await write([
      [0, 0, 4, 0],
      [0, 0, 2],
    ]);
    await Promise.all(readers.map((reader) => reader.follow()));
    await write([[0, 0, 0], [0]], 's');
    await Promise.all(readers.map((reader) => clock.untilTrue(() => reader.runner.position >= writer.log.head)));
    const calm = await new Reader().follow();
    for (const reader of readers) expect(reader.rows()).toEqual(calm.rows());
    for (const reader of [...readers, calm]) await reader.end();
  });

  describe('with an event that cannot be read', () => {
    it('parks it and goes on, with that run and with the others', async () => {
      const reader = await new Reader().follow();
      await writer.write('r1', runStarted(), runClaimed());
      writer.writeUnreadable('r1');
      await writer.write('r1', completed);
      await writer.write('r2', runStarted());
      await clock.settle();
      expect(reader.rows().map(({ runId, status }) => ({ runId, status }))).toEqual([
        { runId: 'r2', status: 'queued' },
        { runId: 'r1', status: 'completed' },
      ]);
      expect(reader.projection.parked()).toMatchObject([{ stream: 'run-r1', revision: 2, type: 'ModelResponded' }]);
      await reader.end();
    });

    it('leaves out a run whose start cannot be read, without blaming what follows', async () => {
      const reader = await new Reader().follow();
      writer.writeUnreadable('r1', 'RunStarted');
      await writer.write('r1', runClaimed());
      await writer.write('r1', { type: 'RunCancelled', data: { cancelledBy: 'olga' } });
      await clock.settle();
      expect(reader.rows()).toEqual([]);
      expect(reader.projection.parked()).toHaveLength(1);
      await reader.end();
    });

    it('is passed over also where all rows are made anew: the other runs are there', async () => {
      await writer.write('r1', runStarted());
      writer.writeUnreadable('r1');
      await writer.write('r2', runStarted());
      const reader = await new Reader().follow();
      expect(
        reader
          .rows()
          .map((row) => row.runId)
          .sort(),
      ).toEqual(['r1', 'r2']);
      expect(reader.projection.parked()).toMatchObject([{ stream: 'run-r1', revision: 1 }]);
      await reader.end();
    });
  });

  it('SEA-1 SEA-5 holds no content, whatever was said in the runs', async () => {
    const path = aPath();
    const call = { callId: 'c1', toolName: 'ask', disposition: 'input' } as const;
    const bound = { callId: 'c2', toolName: 'refund', disposition: 'approval' } as const;
    const histories: NewRunEvent[][] = [
      [
        runStarted(),
        runClaimed(),
        modelResponded([call]),
        suspendedForInput('c1'),
        inputSubmitted(),
        runClaimed(),
        completed,
      ],
      [
        runStarted(),
        runClaimed(),
        modelResponded([bound]),
        suspendedForApproval('c2'),
        approvalDecided(true),
        runClaimed(),
      ],
      [runStarted(), runClaimed(), callStarted('c2', 'read_only'), callCompleted('c2')],
    ];
    const reader = await new Reader(path).follow();
    for (const [index, events] of histories.entries()) await writer.write(`r${index}`, ...events.map(withMarks));
    await clock.settle();
    const bytes = ['', '-wal'].map((suffix) => readFileSync(path + suffix, 'latin1')).join('');
    expect(bytes.includes('olga')).toBe(true);
    expect(bytes.includes('MARK')).toBe(false);
    // Nor sealed content, whose key may be destroyed while this file is not.
    expect(bytes.includes('eyJ')).toBe(false);
    await reader.end();
  });
});

/** The event with a mark in every text of its content. */
function withMarks(event: NewRunEvent): NewRunEvent {
  if (!('content' in event)) return event;
  const text = JSON.stringify(event.content, (key, value) =>
    typeof value === 'string' && !['callId', 'toolName', 'role'].includes(key) ? `MARK ${value}` : value,
  );
  return { ...event, content: JSON.parse(text) } as NewRunEvent;
}
