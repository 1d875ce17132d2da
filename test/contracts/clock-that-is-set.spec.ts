import { RUN_STREAM_PREFIX, type RunEvent } from '../../src/events/run-events.js';
import { evolveRow } from '../../src/projections/runs/run-row.js';
import { RunsTable } from '../../src/projections/runs/runs-table.js';
import { ErasureTable } from '../../src/sagas/retention/erasure-table.js';
import { DeliveryLease, LEASE_MS } from '../../src/subscriptions/durable/delivery-lease.js';
import { SubscribersFile } from '../../src/subscriptions/durable/subscribers-file.js';
import type { FeedEvent } from '../../src/subscriptions/feed-consumer.js';
import { recorded, runStarted } from '../support/run-history.js';

const HOURS = 5 * 3_600_000;
const NOW = Date.parse('2030-01-01T00:00:00.000Z');

describe('a clock that was set back by hours', () => {
  it('SEA-2 does not leave the destruction of keys to a process that is dead, for longer than its right lasts', () => {
    const file = SubscribersFile.open(':memory:');
    const clock = { nowMs: NOW, now: () => clock.nowMs };
    const dead = new DeliveryLease(file, 'key-destroyer', 'dead', clock);
    const next = new DeliveryLease(file, 'key-destroyer', 'next', clock);
    expect(dead.take()).toBe(true);
    expect(next.take()).toBe(false);
    clock.nowMs -= HOURS;
    expect(next.take()).toBe(true);
    expect(dead.take()).toBe(false);
    clock.nowMs += LEASE_MS;
    expect(dead.take()).toBe(true);
    file.close();
  });

  it('does not change the order of runs, which is that of the log', () => {
    const table = RunsTable.open(':memory:');
    const times = [NOW, NOW - HOURS, NOW + HOURS, NOW - 2 * HOURS];
    for (const [index, ms] of times.entries()) {
      const [event] = recorded([runStarted()]);
      const place = { stream: `run-r${index}`, position: BigInt(index + 1), at: new Date(ms).toISOString() };
      table.put(evolveRow(null, { ...(event as RunEvent), ...place }));
    }
    expect(table.list([{}], undefined, 10).map(({ runId }) => runId)).toEqual(['r3', 'r2', 'r1', 'r0']);
    table.close();
  });

  it('SEA-3 does not leave content alone for longer that could not be erased at once', () => {
    const table = ErasureTable.open(':memory:');
    const at = new Date(NOW - 2 * HOURS).toISOString();
    const settled = { type: 'RunCancelled', stream: `${RUN_STREAM_PREFIX}r1`, position: 1n, at, data: {} };
    table.apply([settled as unknown as FeedEvent], 1n);
    const take = (nowMs: number) => table.take('working', nowMs, nowMs, 9);
    expect(take(NOW)).toEqual(['r1']);
    expect(take(NOW + 1_000)).toEqual([]);
    expect(take(NOW - HOURS)).toEqual(['r1']);
    expect(take(NOW - HOURS + 1_000)).toEqual([]);
    table.close();
  });
});
