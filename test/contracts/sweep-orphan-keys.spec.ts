import { Logger } from '@nestjs/common';
import type { EventStore } from '../../src/event-store/event-store.js';
import { runStream } from '../../src/events/run-events.js';
import { SweepOrphanKeys } from '../../src/sagas/sweep-orphan-keys.js';
import { CALM, type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { runStarted } from '../support/run-history.js';
import { RunWriter } from '../support/run-writer.js';
import { VirtualClock } from '../support/virtual-clock.js';

const HOUR_MS = 3_600_000;

/** The clock on the wall, which somebody can set, beside the time that passes. */
class SettableClock extends VirtualClock {
  setForwardMs = 0;

  override now(): number {
    return super.now() + this.setForwardMs;
  }
}

describe('the sweep of orphan keys', () => {
  beforeAll(() => Logger.overrideLogger(false));

  let clock: SettableClock;
  let writer: RunWriter;
  const running: SweepOrphanKeys[] = [];

  beforeEach(() => {
    clock = new SettableClock();
    writer = new RunWriter(clock);
  });
  afterEach(async () => {
    for (const sweep of running.splice(0)) await clock.until(sweep.beforeApplicationShutdown());
  });

  /** A process begins; its first sweep is over when this resolves. */
  async function begin(store: EventStore = writer.store): Promise<SweepOrphanKeys> {
    const sweep = new SweepOrphanKeys(writer.keys, store, clock);
    running.push(sweep);
    sweep.onApplicationBootstrap();
    await clock.settle();
    return sweep;
  }

  /** What is left of a start whose process died before the first event. */
  async function orphan(runId: string): Promise<void> {
    await writer.keys.create(runStream(runId));
  }

  const keysOf = async (runId: string) => Object.keys(await writer.keys.find(runStream(runId))).sort();
  const BOTH = ['outcome', 'working'];

  it('SEA-3 destroys those that are older than an hour at the start, and keeps younger ones', async () => {
    await orphan('old');
    await clock.advance(HOUR_MS - 60_000);
    await orphan('young');
    await clock.advance(60_001);
    await begin();
    expect([await keysOf('old'), await keysOf('young')]).toEqual([[], BOTH]);
  });

  it('comes again every hour, for as long as the service runs', async () => {
    const sweep = await begin();
    await orphan('r1');
    await clock.advance(HOUR_MS);
    expect(await keysOf('r1')).toEqual(BOTH);
    await clock.advance(HOUR_MS);
    expect(await keysOf('r1')).toEqual([]);
    await orphan('r2');
    await sweep.beforeApplicationShutdown();
    await clock.advance(5 * HOUR_MS);
    expect(await keysOf('r2')).toEqual(BOTH);
  });

  it('never destroys keys of a run that has begun, however late its first event came', async () => {
    await begin();
    await orphan('late');
    await clock.advance(HOUR_MS - 1);
    await writer.write('late', runStarted());
    await clock.advance(5 * HOUR_MS);
    expect(await keysOf('late')).toEqual(BOTH);
  });

  it('lets a start that is repeated after the sweep begin with keys of its own', async () => {
    await orphan('again');
    await clock.advance(HOUR_MS + 1);
    await begin();
    expect(await keysOf('again')).toEqual([]);
    await writer.write('again', runStarted());
    const [event] = await writer.store.read(runStream('again'));
    const opened = writer.codec.open(writer.codec.decode(event as never) as never, await writer.keys.find('run-again'));
    expect(opened).toHaveProperty('messages');
    await clock.advance(5 * HOUR_MS);
    expect(await keysOf('again')).toEqual(BOTH);
  });

  it('does not take what was made a moment ago for old when the clock is put forward by hours', async () => {
    await begin();
    await clock.advance(HOUR_MS - 1);
    await orphan('about to begin');
    clock.setForwardMs = 5 * HOUR_MS;
    await clock.advance(1);
    expect(await keysOf('about to begin')).toEqual(BOTH);
    await writer.write('about to begin', runStarted());
    await clock.advance(3 * HOUR_MS);
    expect(await keysOf('about to begin')).toEqual(BOTH);
  });

  it('destroys nothing that it could not ask about, and asks again at the next start', async () => {
    for (const runId of ['r1', 'r2', 'r3']) await orphan(runId);
    await writer.write('r2', runStarted());
    await clock.advance(HOUR_MS + 1);
    let answers = 1;
    const away: FaultPlan = { ...CALM, readFate: () => (answers-- > 0 ? 'answer' : 'refuse') };
    // The log goes away in the middle: as for a process that dies there, no key of a run that begins is gone.
    const crashed = await begin(new MemoryEventStore(writer.log, away));
    expect(await keysOf('r2')).toEqual(BOTH);
    await crashed.beforeApplicationShutdown();
    await begin();
    expect([await keysOf('r1'), await keysOf('r2'), await keysOf('r3')]).toEqual([[], BOTH, []]);
  });
});
