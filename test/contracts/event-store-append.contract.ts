import { AppendRefused, RevisionConflict, StoreUnavailable } from '../../src/event-store/errors.js';
import { MAX_APPEND_BYTES, MAX_APPEND_EVENTS, MAX_EVENT_BYTES } from '../../src/event-store/event-store.js';
import { aKind, anEvent, anEventOf, ids, someEvents } from '../support/event-samples.js';
import type { UseFixture } from './event-store-fixture.js';

export function appendContract(fixture: UseFixture): void {
  const aStream = () => `${aKind()}1`;

  describe('an append', () => {
    it('numbers the events of a stream from 0', async () => {
      const store = await fixture().open();
      const stream = aStream();

      expect((await store.append(stream, 'no_stream', [anEvent()])).revision).toBe(0);
      expect((await store.append(stream, 0, someEvents(3))).revision).toBe(3);
      expect((await store.append(stream, 3, [anEvent()])).revision).toBe(4);
      expect((await store.read(stream)).map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
    });

    it('returns the position of its last event, and positions grow', async () => {
      const store = await fixture().open();
      const [one, other] = [aStream(), aStream()];

      const first = await store.append(one, 'no_stream', someEvents(2));
      const second = await store.append(other, 'no_stream', someEvents(2));
      const positions = [...(await store.read(one)), ...(await store.read(other))].map((event) => event.position);

      expect(positions[1]).toBe(first.position);
      expect(positions[3]).toBe(second.position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => (a < b ? -1 : 1)));
    });

    it('CLM-1 is a conflict that tells the actual revision when the stream has moved on', async () => {
      const store = await fixture().open();
      const stream = aStream();
      await store.append(stream, 'no_stream', someEvents(3));

      for (const expected of ['no_stream', 0, 1] as const) {
        await expect(store.append(stream, expected, [anEvent()])).rejects.toMatchObject({
          name: 'RevisionConflict',
          stream,
          expected,
          actual: 2,
        });
      }
      expect(await store.read(stream)).toHaveLength(3);
    });

    it('CLM-1 is a conflict when the stream is not that far yet', async () => {
      const store = await fixture().open();
      const stream = aStream();

      await expect(store.append(stream, 0, [anEvent()])).rejects.toMatchObject({ actual: 'no_stream' });
      await store.append(stream, 'no_stream', [anEvent()]);
      await expect(store.append(stream, 1, [anEvent()])).rejects.toMatchObject({ actual: 0 });
      expect(await store.read(stream)).toHaveLength(1);
    });

    it('writes all of its events or none', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const tooLarge = anEventOf(MAX_EVENT_BYTES + 1);

      await expect(store.append(stream, 'no_stream', [anEvent(), tooLarge])).rejects.toThrow(AppendRefused);
      await expect(store.append(stream, 4, someEvents(2))).rejects.toThrow(RevisionConflict);
      expect(await store.read(stream)).toEqual([]);
    });

    it.each([-1, 0.5, Number.NaN, 2 ** 53])('does not take %p for a revision', async (expected) => {
      const store = await fixture().open();
      await expect(store.append(aStream(), expected, [anEvent()])).rejects.toThrow(RangeError);
    });
  });

  describe('a repeated append', () => {
    it('succeeds as the first did and writes nothing', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const one = [anEvent()];
      const batch = someEvents(3);
      const first = await store.append(stream, 'no_stream', one);
      const second = await store.append(stream, 0, batch);

      expect(await store.append(stream, 0, batch)).toEqual(second);
      expect(await store.append(stream, 'no_stream', one)).toEqual(first);
      expect(ids(await store.read(stream))).toEqual(ids([...one, ...batch]));
    });

    it('succeeds after later events, from another instance and after a restart', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const batch = someEvents(2);
      const first = await store.append(stream, 'no_stream', batch);
      await store.append(stream, 1, someEvents(2));

      expect(await store.append(stream, 'no_stream', batch)).toEqual(first);
      const other = await fixture().open();
      expect(await other.append(stream, 'no_stream', batch)).toEqual(first);
      await store.close();
      await other.close();
      const restarted = await fixture().open();
      expect(await restarted.append(stream, 'no_stream', batch)).toEqual(first);
      expect(await restarted.read(stream)).toHaveLength(4);
    });

    it('is a conflict at another revision than the first time', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const event = anEvent();
      await store.append(stream, 'no_stream', [anEvent()]);
      await store.append(stream, 0, [event]);
      await store.append(stream, 1, [anEvent()]);

      await expect(store.append(stream, 'no_stream', [event])).rejects.toMatchObject({ actual: 2 });
      await expect(store.append(stream, 1, [event])).rejects.toMatchObject({ actual: 2 });
    });

    it('is refused when only its beginning was stored', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const [a, b] = [anEvent(), anEvent()];
      await store.append(stream, 'no_stream', [a, b]);

      for (const mixed of [
        [a, anEvent()],
        [a, b, anEvent()],
      ]) {
        await expect(store.append(stream, 'no_stream', mixed)).rejects.toMatchObject({
          name: 'AppendRefused',
          refusal: 'partial_repeat',
          stream,
        });
      }
      await store.append(stream, 1, [anEvent()]);
      await expect(store.append(stream, 'no_stream', [a, b, anEvent()])).rejects.toMatchObject({
        refusal: 'partial_repeat',
      });
      expect(await store.read(stream)).toHaveLength(3);
    });
  });

  describe('the limits of an append', () => {
    const refused = (refusal: string) => expect.objectContaining({ name: 'AppendRefused', refusal });

    it('refuses an append without events', async () => {
      const store = await fixture().open();
      await expect(store.append(aStream(), 'no_stream', [])).rejects.toEqual(refused('no_events'));
    });

    it('takes as many events as are allowed and refuses one more', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const tooMany = someEvents(MAX_APPEND_EVENTS + 1);

      await expect(store.append(stream, 'no_stream', tooMany)).rejects.toEqual(refused('too_many_events'));
      await store.append(stream, 'no_stream', tooMany.slice(1));
      expect(await store.read(stream)).toHaveLength(MAX_APPEND_EVENTS);
    });

    it.each([
      ['x', 'ASCII'],
      ['é', 'two bytes a character'],
    ])('takes the largest event and refuses one byte more (%s, %s)', async (character) => {
      const store = await fixture().open();
      const stream = aStream();
      const largest = anEventOf(MAX_EVENT_BYTES, character);
      const tooLarge = anEventOf(MAX_EVENT_BYTES + 1, character);

      await expect(store.append(stream, 'no_stream', [tooLarge])).rejects.toEqual(refused('event_too_large'));
      await store.append(stream, 'no_stream', [largest]);
      expect((await store.read(stream))[0]?.data).toBe(largest.data);
    });

    it('takes the largest append and refuses one byte more', async () => {
      const store = await fixture().open();
      const stream = aStream();
      const half = anEventOf(MAX_APPEND_BYTES / 2);
      const more = anEventOf(MAX_APPEND_BYTES / 2 + 1);

      await expect(store.append(stream, 'no_stream', [half, more])).rejects.toEqual(refused('append_too_large'));
      await store.append(stream, 'no_stream', [half, anEventOf(MAX_APPEND_BYTES / 2)]);
      expect(await store.read(stream)).toHaveLength(2);
    });

    it('says that an append is too large before it says that it conflicts', async () => {
      const store = await fixture().open();
      const tooLarge = anEventOf(MAX_EVENT_BYTES + 1);
      await expect(store.append(aStream(), 5, [tooLarge])).rejects.toEqual(refused('event_too_large'));
    });
  });

  describe('closing', () => {
    it('settles the appends that are under way', async () => {
      const store = await fixture().open();
      const kind = aKind();
      const streams = Array.from({ length: 100 }, (_, index) => `${kind}${index}`);
      const appends = streams.map((stream) => store.append(stream, 'no_stream', [anEvent()]));

      await store.close();

      const settled = await Promise.allSettled(appends);
      expect(settled.filter((result) => result.status === 'rejected')).toEqual([]);
      const reopened = await fixture().open();
      for (const stream of streams) expect(await reopened.read(stream)).toHaveLength(1);
    });

    it('leaves a store that is away, and may be repeated', async () => {
      const store = await fixture().open();
      await store.close();
      await store.close();

      const away = expect.objectContaining({ name: 'StoreUnavailable', outcomeUnknown: false });
      await expect(store.append(aStream(), 'no_stream', [anEvent()])).rejects.toEqual(away);
      await expect(store.read(aStream())).rejects.toThrow(StoreUnavailable);
      await expect(store.head()).rejects.toThrow(StoreUnavailable);
    });
  });
}
