import type { Actor } from '../../src/events/event.js';
import { goesBefore } from '../../src/sagas/claim-order.js';
import { KnownWorkers } from '../../src/sagas/known-workers.js';
import type { FeedEvent } from '../../src/subscriptions/feed-consumer.js';

const HOUR_MS = 3_600_000;

describe('The workers that one knows', () => {
  let nowMs: number;
  let lagMs: number;
  let workers: KnownWorkers;
  let position: bigint;

  beforeEach(() => {
    nowMs = Date.parse('2030-01-01T12:00:00.000Z');
    lagMs = 0;
    position = 0n;
    workers = new KnownWorkers(
      'me',
      () => nowMs,
      () => lagMs,
    );
  });

  interface Told {
    readonly type?: string;
    readonly data?: object;
    readonly stream?: string;
    readonly actor?: Actor;
    readonly atMs?: number;
    readonly again?: boolean;
  }

  function tell(
    id: string,
    { type = 'LeaseExtended', data = {}, stream = 'run-x', actor, atMs, again }: Told = {},
  ): void {
    if (!again) position += 1n;
    workers.heed({
      type,
      data,
      stream,
      position,
      at: new Date(atMs ?? nowMs).toISOString(),
      actor: actor ?? { kind: 'worker', id },
    } as unknown as FeedEvent);
  }

  const claims = (id: string, stream: string, more: Told = {}) => tell(id, { type: 'RunClaimed', stream, ...more });

  /** A run at which the workers look in this order. */
  function runInOrder(...ids: string[]): string {
    for (let run = 0; ; run += 1) {
      const stream = `run-${run}`;
      if (ids.every((id, index) => index === 0 || goesBefore(ids[index - 1] as string, id, stream))) return stream;
    }
  }

  it('are oneself, so that a single worker looks at once', () => {
    expect(workers.placeOf('run-1')).toBe(0);
  });

  it('are those that recorded something for a run', () => {
    const stream = runInOrder('a', 'me', 'b');
    tell('b');
    expect(workers.placeOf(stream)).toBe(0);
    tell('a');
    expect(workers.placeOf(stream)).toBe(1);
  });

  it('are no principals and not the system', () => {
    const stream = runInOrder('a', 'me');
    tell('a', { actor: { kind: 'principal', id: 'a' } });
    tell('a', { actor: { kind: 'system', id: 'a' } });
    expect(workers.placeOf(stream)).toBe(0);
  });

  it('are forgotten when nothing was heard of them for an hour, by the time of the log', () => {
    const stream = runInOrder('a', 'me');
    tell('a', { atMs: nowMs - HOUR_MS - 1 });
    expect(workers.placeOf(stream)).toBe(0);
    tell('a');
    nowMs += HOUR_MS;
    expect(workers.placeOf(stream)).toBe(1);
    nowMs += 1;
    expect(workers.placeOf(stream)).toBe(0);
  });

  it('are not kept for longer because of a clock that is ahead', () => {
    const stream = runInOrder('a', 'me');
    tell('a', { atMs: nowMs + 10 * HOUR_MS });
    nowMs += HOUR_MS + 1;
    expect(workers.placeOf(stream)).toBe(0);
  });

  it('are 64 at most, those heard of last, and always oneself', () => {
    for (let index = 0; index < 500; index += 1) {
      nowMs += 1;
      tell(`w${index}`);
    }
    const last = Array.from({ length: 63 }, (_, index) => `w${499 - index}`);
    const stream = 'run-1';
    expect(workers.placeOf(stream)).toBe(last.filter((id) => goesBefore(id, 'me', stream)).length);
  });

  it('have the holder of a lease that ran out look last', () => {
    const stream = runInOrder('a', 'me', 'b');
    tell('a');
    tell('b');
    expect(workers.placeOf(stream, 'a')).toBe(0);
    expect(workers.placeOf(stream, 'me')).toBe(2);
  });

  describe('when a worker misses its turns', () => {
    const stream = runInOrder('a', 'me', 'b');

    it('pass it over from the second time on, until it claims again', () => {
      claims('a', stream);
      claims('b', stream);
      expect(workers.placeOf(stream)).toBe(1);
      claims('b', stream);
      expect(workers.placeOf(stream)).toBe(0);
      claims('a', stream);
      expect(workers.placeOf(stream)).toBe(1);
    });

    it('count a turn once, however often the feed tells of it', () => {
      claims('a', stream);
      claims('b', stream);
      claims('b', stream, { again: true });
      expect(workers.placeOf(stream)).toBe(1);
    });

    it('give it another try after a minute', () => {
      tell('a');
      claims('b', stream);
      claims('b', stream);
      nowMs += 59_999;
      expect(workers.placeOf(stream)).toBe(0);
      nowMs += 1;
      expect(workers.placeOf(stream)).toBe(1);
    });

    it('never pass over oneself, who would not get a turn again', () => {
      const own = runInOrder('me', 'a', 'b');
      for (let time = 0; time < 5; time += 1) claims('a', own);
      expect(workers.placeOf(own)).toBe(0);
    });

    it('pass it over at once when it hands runs back because it stops', () => {
      tell('a');
      tell('a', { type: 'RunRequeued', data: { reason: 'timeout' } });
      expect(workers.placeOf(stream)).toBe(1);
      tell('a', { type: 'RunRequeued', data: { reason: 'worker_stopped' } });
      expect(workers.placeOf(stream)).toBe(0);
      nowMs += 61_000;
      expect(workers.placeOf(stream)).toBe(0);
    });
  });

  it('have turns that are longer than the news of a claim takes, in whole milliseconds and within bounds', () => {
    expect(workers.slotMs()).toBe(300);
    lagMs = 400.2;
    expect(workers.slotMs()).toBe(801);
    lagMs = 60_000;
    expect(workers.slotMs()).toBe(5_000);
  });
});
