import fc from 'fast-check';
import { DueTable } from '../../src/sagas/due-table.js';
import type { FeedEvent } from '../../src/subscriptions/feed-consumer.js';

const NOW = Date.parse('2030-01-01T00:00:00.000Z');

/** A due table, and events as a feed brings them: only what the table looks at. */
class Table {
  readonly due = DueTable.open(':memory:');
  private position = 0n;

  tell(type: string, runId: string, atMs: number, data: object = {}): void {
    this.position += 1n;
    const event = { type, stream: `run-${runId}`, position: this.position, at: iso(atMs), data };
    this.due.apply([event as unknown as FeedEvent], this.position);
  }

  start(runId: string, ownerId: string, atMs = NOW): void {
    this.tell('RunStarted', runId, atMs, { ownerId });
  }

  claim(runId: string, atMs: number, leaseMs = 60_000): void {
    this.tell('RunClaimed', runId, atMs, { leaseExpiresAt: iso(atMs + leaseMs) });
  }

  /** Takes one run after the other, each settled at once. */
  drain(nowMs: number): string[] {
    const order: string[] = [];
    for (let taken = this.due.take(nowMs, 1); taken.length > 0; taken = this.due.take(nowMs, 1)) {
      for (const runId of taken) {
        order.push(runId);
        this.tell('RunCompleted', runId, nowMs);
      }
    }
    return order;
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

describe('Owners of due runs', () => {
  let table: Table;
  beforeEach(() => {
    table = new Table();
  });
  afterEach(() => table.due.close());

  it('take turns, so that ten thousand runs of one do not hold up a single one of another', () => {
    for (let run = 0; run < 10_000; run += 1) table.start(`busy-${run}`, 'busy', NOW + run);
    const later = NOW + 20_000;
    expect(table.due.take(later, 2)).toEqual(['busy-0', 'busy-1']);
    table.start('single', 'patient', later);
    expect(table.due.take(later, 2)).toEqual(['busy-2', 'single']);
    expect(table.due.take(later, 1)).toEqual(['busy-3']);
    expect(table.due.countDue(later)).toBe(9_996);
  });

  it('have their own runs in the order in which they became due', () => {
    table.start('a3', 'ada', NOW + 3);
    table.start('b2', 'bob', NOW + 2);
    table.start('a1', 'ada', NOW + 1);
    table.start('b9', 'bob', NOW + 9);
    table.start('a5', 'ada', NOW + 5);
    expect(table.drain(NOW + 10)).toEqual(['a1', 'b2', 'a3', 'b9', 'a5']);
  });

  it('keep their turn while a run waits for a person, and what is answered is theirs', () => {
    table.start('a1', 'ada');
    table.start('b1', 'bob');
    table.start('b2', 'bob');
    expect(table.due.take(NOW, 1)).toEqual(['a1']);
    table.claim('a1', NOW);
    table.tell('RunSuspendedForInput', 'a1', NOW);
    expect(table.due.take(NOW, 1)).toEqual(['b1']);
    table.tell('InputSubmitted', 'a1', NOW);
    expect(table.due.take(NOW, 2)).toEqual(['b2', 'a1']);
  });

  it('lose nothing by runs that this process has in hand', () => {
    table.start('a1', 'ada');
    table.start('a2', 'ada', NOW + 1);
    table.start('b1', 'bob');
    expect(table.due.take(NOW + 1, 9, new Set(['a1', 'b1']))).toEqual(['a2']);
    expect(table.due.take(NOW + 1, 9)).toEqual(['a1', 'b1']);
  });

  it('are in line again when a lease has run out, behind those who came before', () => {
    table.start('a1', 'ada');
    expect(table.due.take(NOW, 1)).toEqual(['a1']);
    table.claim('a1', NOW);
    table.start('b1', 'bob', NOW + 59_000);
    expect(table.due.take(NOW + 59_999, 9)).toEqual(['b1']);
    expect(table.due.take(NOW + 60_000, 9)).toEqual(['a1']);
  });

  it('have no slot left idle, wait for one turn of each other at most, and lose no run', () => {
    const owners = ['ada', 'bob', 'cy', 'dee'];
    const act = fc.oneof(
      fc.record({ kind: fc.constant('start' as const), owner: fc.constantFrom(...owners) }),
      fc.record({ kind: fc.constant('take' as const), slots: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('pause' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('answer' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('requeue' as const), which: fc.nat(), ms: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const taking = new Table();
        const dueAt = new Map<string, number>();
        const owner = new Map<string, string>();
        const claimed: string[] = [];
        const paused: string[] = [];
        /** Turns that others had while somebody had a due run. */
        const passedOver = new Map<string, Map<string, number>>();
        let now = NOW;
        const isDue = (runId: string) => (dueAt.get(runId) ?? Number.POSITIVE_INFINITY) <= now;
        const waiting = () => new Set([...dueAt.keys()].filter(isDue).map((runId) => owner.get(runId) as string));
        const remove = (list: string[], which: number) => list.splice(which % Math.max(1, list.length), 1)[0];

        function serve(runId: string): void {
          const mine = owner.get(runId) as string;
          const sooner = [...dueAt].filter(([other, at]) => owner.get(other) === mine && at < (dueAt.get(runId) ?? 0));
          expect(sooner).toEqual([]);
          expect(isDue(runId)).toBe(true);
          for (const other of waiting()) {
            if (other === mine) continue;
            const turns = passedOver.get(other) ?? new Map<string, number>();
            turns.set(mine, (turns.get(mine) ?? 0) + 1);
            expect(turns.get(mine)).toBeLessThanOrEqual(1);
            passedOver.set(other, turns);
          }
          passedOver.delete(mine);
          dueAt.delete(runId);
          claimed.push(runId);
          taking.claim(runId, now, 1_000_000);
        }

        for (const act of acts) {
          if (act.kind === 'start') {
            const runId = `r${owner.size}`;
            owner.set(runId, act.owner);
            dueAt.set(runId, now);
            taking.start(runId, act.owner, now);
          } else if (act.kind === 'take') {
            const due = [...dueAt.keys()].filter(isDue).length;
            const taken = taking.due.take(now, act.slots);
            expect(taken).toHaveLength(Math.min(act.slots, due));
            for (const runId of taken) serve(runId);
          } else if (act.kind === 'pass') now += act.ms;
          else if (act.kind === 'answer') {
            const runId = remove(paused, act.which);
            if (runId === undefined) continue;
            dueAt.set(runId, now);
            taking.tell('InputSubmitted', runId, now);
          } else {
            const runId = remove(claimed, act.which);
            if (runId === undefined) continue;
            if (act.kind === 'pause') {
              paused.push(runId);
              taking.tell('RunSuspendedForInput', runId, now);
            } else {
              dueAt.set(runId, now + act.ms);
              taking.tell('RunRequeued', runId, now, { notBefore: iso(now + act.ms) });
            }
          }
        }
        now += 100;
        expect(new Set(taking.drain(now))).toEqual(new Set(dueAt.keys()));
        taking.due.close();
      }),
      { numRuns: 150 },
    );
  });
});

describe('A clock that was set back by hours', () => {
  const HOURS = 5 * 3_600_000;
  let table: Table;
  beforeEach(() => {
    table = new Table();
  });
  afterEach(() => table.due.close());

  it('leaves a run that was due at once due at once', () => {
    table.start('r1', 'ada');
    table.start('r2', 'bob');
    expect(table.due.take(NOW, 1)).toEqual(['r1']);
    expect(table.due.take(NOW - HOURS, 9)).toEqual(['r2']);
  });

  it('has a lease and a back-off last as long as they were meant to, from then on', () => {
    table.start('leased', 'ada');
    table.start('backing off', 'bob');
    expect(table.due.take(NOW, 9)).toHaveLength(2);
    table.claim('leased', NOW);
    table.tell('RunRequeued', 'backing off', NOW, { notBefore: iso(NOW + 4_000) });
    const back = NOW - HOURS;
    expect(table.due.take(back, 9)).toEqual([]);
    expect(table.due.nextDueAt()).toBe(back + 4_000);
    expect(table.due.take(back + 4_000, 9)).toEqual(['backing off']);
    expect(table.due.take(back + 59_999, 9)).toEqual(['backing off']);
    expect(table.due.take(back + 60_000, 9)).toEqual(['leased']);
  });

  it('is noticed by a process that starts with it, and by one beside the clock of another machine', () => {
    table.start('r1', 'ada', NOW + HOURS);
    expect(table.due.take(NOW, 9)).toEqual(['r1']);
    table.start('r2', 'ada', NOW + HOURS);
    expect(table.due.take(NOW + 9_999, 9)).toEqual(['r1']);
    expect(table.due.take(NOW + 10_000, 9)).toEqual(['r2']);
  });

  it('does not take from a worker what it goes on extending', () => {
    table.start('r1', 'ada');
    expect(table.due.take(NOW, 1)).toEqual(['r1']);
    table.claim('r1', NOW);
    for (let at = NOW - HOURS; at < NOW - HOURS + 300_000; at += 20_000) {
      expect(table.due.take(at, 9)).toEqual([]);
      table.tell('LeaseExtended', 'r1', at, { leaseExpiresAt: iso(at + 60_000) });
    }
  });

  it('puts right ten thousand runs at once', () => {
    for (let run = 0; run < 10_000; run += 1) table.start(`r${run}`, `owner ${run % 7}`, NOW + run);
    const back = NOW - HOURS;
    expect(table.due.take(back, 16)).toHaveLength(16);
    expect(table.due.countDue(back)).toBe(9_984);
  });
});
