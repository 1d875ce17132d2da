import { EraseContent } from '../../src/commands/erase-content.command.js';
import { EraseContentHandler } from '../../src/commands/erase-content.handler.js';
import type { NewRunEvent } from '../../src/events/run-events.js';
import { runStream } from '../../src/events/run-events.js';
import { ContentRetention, type RetentionSettings } from '../../src/sagas/retention/content-retention.js';
import { ErasureTable } from '../../src/sagas/retention/erasure-table.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { completed, runClaimed, runStarted, waitingForInput } from '../support/run-history.js';
import { RunWriter } from '../support/run-writer.js';
import { VirtualClock } from '../support/virtual-clock.js';

const DAY_MS = 86_400_000;
const ended: NewRunEvent[] = [runStarted(), runClaimed(), completed];

describe('the retention of content', () => {
  let clock: VirtualClock;
  let writer: RunWriter;
  const stops: (() => Promise<void>)[] = [];

  beforeEach(() => {
    clock = new VirtualClock();
    writer = new RunWriter(clock);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** The table, its feed and the pump over the real command, without Nest. */
  async function retain(settings: RetentionSettings): Promise<void> {
    const handler = new EraseContentHandler(writer.streams);
    const table: ErasureTable = ErasureTable.open(':memory:', () => retention.wake());
    const retention = new ContentRetention(
      table,
      async (runId, scope, reason) => {
        await handler.execute(new EraseContent({ kind: 'system', id: 'test' }, runId, [scope], reason, 'c'));
      },
      clock,
      settings,
      (failure) => {
        throw failure;
      },
    );
    const { store, codec, entropy } = writer;
    const feed = new FeedRunner(table, { store, codec, clock, entropy });
    feed.start();
    retention.start();
    stops.push(async () => {
      await retention.stop();
      await feed.stop();
      table.close();
    });
    await clock.settle();
  }

  async function erasuresOf(runId: string): Promise<unknown[]> {
    const events = await writer.store.read(runStream(runId));
    return events.filter(({ type }) => type === 'RunContentErased').map(({ data }) => JSON.parse(data));
  }

  it('SEA-3 erases working content when a run settles, and its answer when the retention time is over', async () => {
    await retain({ keepWorkingMs: 0, keepOutcomeMs: 30 * DAY_MS });
    await writer.write('r1', ...ended);
    await writer.write('r2', ...waitingForInput('c1'));
    await clock.settle();
    expect(await erasuresOf('r1')).toEqual([{ scope: 'working', reason: 'settled' }]);
    await clock.advance(30 * DAY_MS - 1_000);
    expect(await erasuresOf('r1')).toHaveLength(1);
    await clock.advance(60_000);
    expect(await erasuresOf('r1')).toEqual([
      { scope: 'working', reason: 'settled' },
      { scope: 'outcome', reason: 'age' },
    ]);
    expect(await erasuresOf('r2')).toEqual([]);
  });

  it('SEA-3 keeps working content for those who want to look back, and no longer', async () => {
    await retain({ keepWorkingMs: 2 * DAY_MS, keepOutcomeMs: 30 * DAY_MS });
    await writer.write('r1', ...ended);
    await clock.advance(2 * DAY_MS - 60_000);
    expect(await erasuresOf('r1')).toEqual([]);
    await clock.advance(120_000);
    expect(await erasuresOf('r1')).toEqual([{ scope: 'working', reason: 'age' }]);
  });

  it('SEA-3 finds what was settled before it was there, and what is left of what was erased in part', async () => {
    await writer.write('r1', ...ended, { type: 'RunContentErased', data: { scope: 'outcome', reason: 'request' } });
    for (let run = 2; run < 60; run += 1) await writer.write(`r${run}`, ...ended);
    await retain({ keepWorkingMs: 0, keepOutcomeMs: DAY_MS });
    await clock.settle();
    await clock.settle();
    for (let run = 2; run < 60; run += 1) expect(await erasuresOf(`r${run}`)).toHaveLength(1);
    expect(await erasuresOf('r1')).toEqual([
      { scope: 'outcome', reason: 'request' },
      { scope: 'working', reason: 'settled' },
    ]);
  });

  it('refuses to erase what a run still needs, and erases nothing twice', async () => {
    const handler = new EraseContentHandler(writer.streams);
    const erase = (runId: string) =>
      handler.execute(
        new EraseContent({ kind: 'principal', id: 'ada' }, runId, ['working', 'outcome'], 'request', 'c'),
      );
    await writer.write('r1', ...waitingForInput('c1'));
    await writer.write('r2', runStarted(), runClaimed(), completed);
    expect(await erase('r1')).toMatchObject({ rejection: { code: 'run_not_settled', status: 'waiting_for_input' } });
    expect(await erase('none')).toMatchObject({ rejection: { code: 'run_not_found' } });
    expect((await erase('r2')).outcome).toBe('accepted');
    expect((await erase('r2')).outcome).toBe('nothing_to_do');
    expect(await erasuresOf('r2')).toHaveLength(2);
  });
});
