import { StoreUnavailable } from '../../src/event-store/errors.js';
import { BEGINNING, type FeedBatch, type StoredEvent } from '../../src/event-store/event-store.js';
import { aKind, anEvent, batchesUntil, caughtUp, ids, someEvents } from '../support/event-samples.js';
import type { UseFixture } from './event-store-fixture.js';

const eventsOf = (batches: readonly FeedBatch[]): StoredEvent[] => batches.flatMap((batch) => [...batch.events]);

export function feedContract(fixture: UseFixture): void {
  describe('a feed', () => {
    it('delivers what is there in log order, over all streams with its prefix and no other', async () => {
      const store = await fixture().open();
      const [kind, other] = [aKind(), aKind()];
      const mine: string[] = [];
      for (let index = 0; index < 12; index += 1) {
        const events = someEvents(2);
        const stream = `${index % 3 === 0 ? other : kind}${index}`;
        if (index % 3 !== 0) mine.push(...ids(events));
        await store.append(stream, 'no_stream', events);
      }

      const { events } = await caughtUp(store, { after: BEGINNING, prefixes: [kind] });

      expect(ids(events)).toEqual(mine);
      const positions = events.map((event) => event.position);
      expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] as bigint))).toBe(
        true,
      );
    });

    it('delivers the events as a read gives them', async () => {
      const store = await fixture().open();
      const kind = aKind();
      await store.append(`${kind}1`, 'no_stream', [anEvent({ text: 'naïve 雪 \u0000' }), anEvent()]);

      const { events } = await caughtUp(store, { after: BEGINNING, prefixes: [kind] });

      expect(events).toEqual(await store.read(`${kind}1`));
    });

    it('takes several prefixes, of any length, and merges them in log order', async () => {
      const store = await fixture().open();
      const [a, b, c] = [aKind(), aKind(), aKind()];
      const names = [`${a}1`, `${b}xy1`, `${b}xz1`, `${c}1`, `${a}2`, `${b}xy2`];
      const appended = new Map<string, string>();
      for (const name of names) {
        const event = anEvent();
        appended.set(name, event.id);
        await store.append(name, 'no_stream', [event]);
      }
      const delivered = async (...prefixes: string[]) => {
        const { events } = await caughtUp(store, { after: BEGINNING, prefixes });
        return events.map((event) => event.stream);
      };

      expect(await delivered(a, c)).toEqual([`${a}1`, `${c}1`, `${a}2`]);
      expect(await delivered(b, a, b)).toEqual([`${a}1`, `${b}xy1`, `${b}xz1`, `${a}2`, `${b}xy2`]);
      expect(await delivered(`${b}xy`, c)).toEqual([`${b}xy1`, `${c}1`, `${b}xy2`]);
      expect(await delivered(a.slice(0, -1))).toEqual([`${a}1`, `${a}2`]);
      expect(await delivered(`${b}x%`)).toEqual([]);
    });

    it('resumes behind any position that it gave', async () => {
      const store = await fixture().open();
      const kind = aKind();
      const all: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        const events = someEvents(100);
        all.push(...ids(events));
        await store.append(`${kind}${index}`, 'no_stream', events);
      }

      const batches = await batchesUntil(store, { after: BEGINNING, prefixes: [kind] }, (seen) => {
        return eventsOf(seen).length === all.length;
      });

      let delivered = 0;
      for (const batch of batches) {
        delivered += batch.events.length;
        const { events } = await caughtUp(store, { after: batch.position, prefixes: [kind] });
        expect(ids(events)).toEqual(all.slice(delivered));
      }
      const middle = (await store.read(`${kind}2`))[50] as StoredEvent;
      const { events } = await caughtUp(store, { after: middle.position, prefixes: [kind] });
      expect(ids(events)).toEqual(all.slice(251));
    });

    it('delivers in batches of some hundreds at most, and says only at the end that it has caught up', async () => {
      const store = await fixture().open();
      const kind = aKind();
      for (let index = 0; index < 12; index += 1) {
        await store.append(`${kind}${index}`, 'no_stream', someEvents(100));
      }

      const batches = await batchesUntil(store, { after: BEGINNING, prefixes: [kind] }, (seen) => {
        return seen[seen.length - 1]?.caughtUp === true;
      });

      expect(Math.max(...batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(500);
      expect(eventsOf(batches)).toHaveLength(1200);
      const positions = batches.map((batch) => batch.position);
      expect(positions).toEqual([...positions].sort((x, y) => (x < y ? -1 : 1)));
      for (const batch of batches) {
        for (const event of batch.events) expect(event.position <= batch.position).toBe(true);
      }
    });

    it('says that it has caught up when there is nothing', async () => {
      const store = await fixture().open();
      const head = await store.head();

      const { events, position } = await caughtUp(store, { after: head, prefixes: [aKind()] });

      expect(events).toEqual([]);
      expect(position >= head).toBe(true);
    });

    it('goes on with what is appended later, here and by another instance', async () => {
      const [store, other] = [await fixture().open(), await fixture().open()];
      const kind = aKind();
      const expected: string[] = [];
      const received: string[] = [];
      let step = 0;

      for await (const batch of store.subscribe({
        after: BEGINNING,
        prefixes: [kind],
        signal: new AbortController().signal,
      })) {
        received.push(...ids(batch.events));
        if (received.length < expected.length || !batch.caughtUp) continue;
        if (step === 20) break;
        const events = someEvents(2);
        expected.push(...ids(events));
        await (step % 2 === 0 ? store : other).append(`${kind}${step}`, 'no_stream', events);
        step += 1;
      }

      expect(received).toEqual(expected);
    });

    it('misses nothing that is appended while it catches up', async () => {
      const [store, other] = [await fixture().open(), await fixture().open()];
      const kind = aKind();
      const streams = Array.from({ length: 60 }, (_, index) => `${kind}${index}`);
      for (const stream of streams.slice(0, 20)) await store.append(stream, 'no_stream', someEvents(50));

      const feed = batchesUntil(store, { after: BEGINNING, prefixes: [kind] }, (seen) => {
        return eventsOf(seen).length >= 3000;
      });
      const writers = [store, other].map(async (writer, part) => {
        const own = streams.slice(20).filter((_, index) => index % 2 === part);
        for (const stream of own) await writer.append(stream, 'no_stream', someEvents(50));
      });

      const events = eventsOf(await feed);
      await Promise.all(writers);
      expect(new Set(ids(events)).size).toBe(3000);
      const positions = events.map((event) => event.position);
      expect(positions).toEqual([...positions].sort((x, y) => (x < y ? -1 : 1)));
    });

    it('is delivered to each of its consumers', async () => {
      const store = await fixture().open();
      const kind = aKind();
      const feeds = Array.from({ length: 5 }, () =>
        batchesUntil(store, { after: BEGINNING, prefixes: [kind] }, (seen) => eventsOf(seen).length === 3),
      );

      const events = someEvents(3);
      await store.append(`${kind}1`, 'no_stream', events);

      for (const feed of feeds) expect(ids(eventsOf(await feed))).toEqual(ids(events));
    });

    it('ends without an error when its signal fires', async () => {
      const store = await fixture().open();
      const kind = aKind();
      await store.append(`${kind}1`, 'no_stream', someEvents(3));
      const [before, during, waiting] = [new AbortController(), new AbortController(), new AbortController()];
      const countBatches = async (controller: AbortController, onBatch: (batch: FeedBatch) => void) => {
        let batches = 0;
        for await (const batch of store.subscribe({
          after: BEGINNING,
          prefixes: [kind],
          signal: controller.signal,
        })) {
          batches += 1;
          onBatch(batch);
        }
        return batches;
      };

      before.abort();
      expect(await countBatches(before, () => {})).toBe(0);
      expect(await countBatches(during, () => during.abort())).toBe(1);
      const abortSoon = (batch: FeedBatch) => {
        if (batch.caughtUp) setImmediate(() => waiting.abort());
      };
      expect(await countBatches(waiting, abortSoon)).toBeGreaterThan(0);
    });

    it('delivers nothing any more once its signal has fired', async () => {
      const store = await fixture().open();
      const kind = aKind();
      await store.append(`${kind}1`, 'no_stream', someEvents(3));
      const controller = new AbortController();
      const feed = store.subscribe({ after: BEGINNING, prefixes: [kind], signal: controller.signal });

      const next = feed[Symbol.asyncIterator]().next();
      controller.abort();

      expect(await next).toEqual({ done: true, value: undefined });
    });

    it('fails when its store is closed', async () => {
      const store = await fixture().open();
      const feed = batchesUntil(store, { after: BEGINNING, prefixes: [aKind()] }, (seen) => {
        if (seen[seen.length - 1]?.caughtUp) setImmediate(() => void store.close());
        return false;
      });
      await expect(feed).rejects.toThrow(StoreUnavailable);
    });
  });
}
