import { BEGINNING, type FeedBatch } from '../../src/event-store/event-store.js';
import { anEvent, batchesUntil, ids, someEvents } from '../support/event-samples.js';
import {
  type AppendFate,
  CALM,
  type FaultPlan,
  type FeedFate,
  MemoryEventStore,
  type PausePoint,
} from '../support/memory-event-store.js';
import { MemoryLog } from '../support/memory-log.js';

const everything = { after: BEGINNING, prefixes: ['run-'] };
const caught = (seen: readonly FeedBatch[]) => seen[seen.length - 1]?.caughtUp === true;

/** Fates in the order given, and `last` for ever after. */
function inOrder<Fate>(fates: readonly Fate[], last: Fate): () => Fate {
  const left = [...fates];
  return () => left.shift() ?? last;
}

describe('the faults of the memory store', () => {
  const withPlan = (plan: Partial<FaultPlan>, log = new MemoryLog()) => new MemoryEventStore(log, { ...CALM, ...plan });

  it.each<[AppendFate, boolean | undefined, number]>([
    ['commit', undefined, 1],
    ['refuse', false, 0],
    ['lose_before', true, 0],
    ['lose_after', true, 1],
  ])('an append that is to %s says outcomeUnknown %p and writes %p events', async (fate, outcomeUnknown, written) => {
    const store = withPlan({ appendFate: inOrder([fate], 'commit') });
    const event = anEvent();

    const [result] = await Promise.allSettled([store.append('run-1', 'no_stream', [event])]);

    if (outcomeUnknown === undefined) expect(result.status).toBe('fulfilled');
    else expect(result).toMatchObject({ reason: { name: 'StoreUnavailable', outcomeUnknown } });
    expect(store.log.events).toHaveLength(written);
    await expect(store.append('run-1', 'no_stream', [event])).resolves.toMatchObject({ revision: 0 });
    expect(store.log.events).toHaveLength(1);
  });

  it('a read that is to refuse fails', async () => {
    const store = withPlan({ readFate: inOrder(['refuse', 'answer', 'refuse'], 'answer') });
    await expect(store.read('run-1')).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(await store.read('run-1')).toEqual([]);
    await expect(store.head()).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });

  it.each<[FeedFate, number[][]]>([
    ['deliver', [[0, 1, 2]]],
    [
      'repeat',
      [
        [0, 1, 2],
        [0, 1, 2],
      ],
    ],
    ['split', [[0], [1], [2]]],
    ['hold', [[0, 1, 2]]],
  ])('a feed that is to %s gives the batches %j', async (fate, expected) => {
    const log = new MemoryLog();
    const events = someEvents(3);
    log.append('run-1', 'no_stream', events);
    const store = withPlan({ feedFate: inOrder([fate], 'deliver') }, log);

    const batches = await batchesUntil(store, everything, (seen) => seen.length === expected.length);

    expect(batches.map((batch) => ids(batch.events))).toEqual(
      expected.map((indexes) => indexes.map((index) => events[index]?.id)),
    );
    expect(batches[batches.length - 1]?.position).toBe(log.head);
  });

  it('a feed that is to drop fails, and one that resumes behind any part of a split batch misses nothing', async () => {
    const log = new MemoryLog();
    const events = someEvents(3);
    log.append('run-1', 'no_stream', events);
    const dropping = withPlan({ feedFate: () => 'drop' }, log);
    await expect(batchesUntil(dropping, everything, caught)).rejects.toMatchObject({ name: 'StoreUnavailable' });

    const [first] = await batchesUntil(withPlan({ feedFate: () => 'split' }, log), everything, () => true);
    const rest = await batchesUntil(withPlan({}, log), { ...everything, after: first?.position ?? 0n }, caught);

    expect(rest.flatMap((batch) => ids(batch.events))).toEqual(ids(events.slice(1)));
  });

  it.each<[PausePoint, number]>([
    ['append', 0],
    ['appended', 1],
  ])('a process that crashes at "%s" hears nothing any more, and leaves %p events', async (crashAt, left) => {
    const log = new MemoryLog();
    const store: MemoryEventStore = withPlan(
      {
        pause: async (point) => {
          if (point === crashAt) store.crash();
        },
      },
      log,
    );
    let settled = false;
    void store.append('run-1', 'no_stream', [anEvent()]).finally(() => {
      settled = true;
    });

    const other = new MemoryEventStore(log);
    for (let turn = 0; turn < 10; turn += 1) await other.read('run-1');

    expect(settled).toBe(false);
    expect(log.events).toHaveLength(left);
    await other.append('run-2', 'no_stream', [anEvent()]);
  });

  it('waits nowhere but in the plan', async () => {
    const points: PausePoint[] = [];
    const store = withPlan({
      pause: async (point) => {
        points.push(point);
      },
    });
    await store.append('run-1', 'no_stream', [anEvent()]);
    await store.read('run-1');
    await store.head();
    await batchesUntil(store, everything, caught);
    expect(points).toEqual(['append', 'appended', 'read', 'read', 'feed']);
  });
});
