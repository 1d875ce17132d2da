import { DueTable } from '../../src/sagas/due-table.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { runStarted } from '../support/run-history.js';
import { RunWriter } from '../support/run-writer.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('a consumer that knows of events which the log does not have', () => {
  it('takes nothing in and says that it is behind, rather than skip what comes next', async () => {
    const clock = new VirtualClock();
    const table = DueTable.open(':memory:');
    const follow = async (writer: RunWriter) => {
      const { store, codec, entropy } = writer;
      const runner = new FeedRunner(table, { store, codec, clock, entropy });
      runner.start();
      await clock.settle();
      return runner;
    };
    const whole = new RunWriter(clock);
    await whole.write('r1', runStarted());
    await whole.write('r2', runStarted());
    const runner = await follow(whole);
    expect(table.countDue(clock.now())).toBe(2);
    await runner.stop();

    const older = new RunWriter(clock);
    await older.write('r1', runStarted());
    const stuck = await follow(older);
    await clock.advance(10_000);
    expect(stuck.reading()).toMatchObject({ failure: 'AheadOfLog' });
    expect(stuck.reading().behindMs).toBeGreaterThan(5_000);
    await stuck.stop();
    table.close();
  });
});
