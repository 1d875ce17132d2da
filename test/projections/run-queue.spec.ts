import fc from 'fast-check';
import { MOST_AHEAD } from '../../src/projections/runs/get-run.query.js';
import { QUEUE_QUERIES } from '../../src/projections/runs/run-list-query.js';
import { evolveRow, type RunRow } from '../../src/projections/runs/run-row.js';
import { RunsTable } from '../../src/projections/runs/runs-table.js';
import { DueTable } from '../../src/sagas/due-table.js';
import type { FeedEvent } from '../../src/subscriptions/feed-consumer.js';
import { EPOCH_MS, recorded, runClaimed, runStarted } from '../support/run-history.js';

/** Runs that are queued one millisecond after the other, in a read model and in a worker's due table. */
class Queue {
  readonly table = RunsTable.open(':memory:');
  readonly due = DueTable.open(':memory:');
  private readonly rows: RunRow[] = [];

  add(ownerId: string): RunRow {
    const position = BigInt(this.rows.length + 1);
    const place = { stream: `run-r${position}`, position, at: new Date(EPOCH_MS + Number(position)).toISOString() };
    const [event] = recorded([runStarted({ ownerId })]).map((started) => ({ ...started, ...place }));
    if (event === undefined) throw new Error('a run starts with an event');
    const row = evolveRow(null, event);
    this.rows.push(row);
    this.table.put(row);
    this.due.apply([event as unknown as FeedEvent], position);
    return row;
  }

  /** The runs in the order in which a worker takes them, one by one. */
  drain(): string[] {
    const now = EPOCH_MS + 3_000_000;
    return this.rows.flatMap(() => {
      const taken = this.due.take(now, 1);
      for (const runId of taken) this.due.defer(runId, now + 1_000_000, now);
      return taken;
    });
  }

  close(): void {
    this.table.close();
    this.due.close();
  }
}

describe('The place of a queued run', () => {
  const none = new Queue();
  afterAll(() => none.close());

  it('is never better than the turn in which a worker takes it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('ada', 'bob', 'cy'), { maxLength: 25 }), (owners) => {
        const queue = new Queue();
        const rows = owners.map((owner) => queue.add(owner));
        const ahead = new Map(rows.map((row) => [row.runId, queue.table.countAhead(row, MOST_AHEAD)]));
        const order = queue.drain();
        expect(order).toHaveLength(rows.length);
        for (const [place, runId] of order.entries()) expect(ahead.get(runId)).toBeGreaterThanOrEqual(place);
        for (const count of ahead.values()) expect(count).toBeLessThan(rows.length);
        queue.close();
      }),
      { numRuns: 60 },
    );
  });

  it('counts one turn of somebody with thousands of runs before a single one of another, and no more than a thousand', () => {
    const queue = new Queue();
    const busy = Array.from({ length: 3_000 }, () => queue.add('busy'));
    const single = queue.add('patient');
    expect(queue.table.countAhead(single, MOST_AHEAD)).toBe(1);
    expect(queue.table.countAhead(busy[0] as RunRow, MOST_AHEAD)).toBe(1);
    expect(queue.table.countAhead(busy[7] as RunRow, MOST_AHEAD)).toBe(8);
    expect(queue.table.countAhead(busy[2_999] as RunRow, MOST_AHEAD)).toBe(MOST_AHEAD);
    queue.close();
  });

  it('is counted in an index of queued runs alone', () => {
    for (const sql of Object.values(QUEUE_QUERIES)) {
      const steps = none.table.database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      const reads = steps.filter(({ detail }) => detail.includes(' runs '));
      expect(reads).toHaveLength(1);
      expect(reads[0]?.detail).toMatch(/^SEARCH runs USING COVERING INDEX queue \(owner_id/);
      expect(steps.some(({ detail }) => detail.includes('TEMP B-TREE'))).toBe(false);
    }
  });

  it('is none once a worker has it, and begins with its time where it is tried again', () => {
    const notBefore = '2030-01-01T00:10:00.000Z';
    const requeued = { type: 'RunRequeued', data: { reason: 'timeout', attempt: 1, notBefore } } as const;
    const history = recorded([runStarted(), runClaimed(), requeued]);
    const rows: (string | null)[] = [];
    let row: RunRow | null = null;
    for (const event of history) {
      row = evolveRow(row, event);
      rows.push(row.dueAt);
    }
    expect(rows).toEqual([history[0]?.at, null, notBefore]);
  });
});
