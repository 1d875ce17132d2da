import { BEGINNING } from '../../src/event-store/event-store.js';
import { aKind, anEvent, ids, someEvents } from '../support/event-samples.js';
import type { UseFixture } from './event-store-fixture.js';

export function readContract(fixture: UseFixture): void {
  describe('reading a stream', () => {
    it('gives nothing for a stream that does not exist', async () => {
      const store = await fixture().open();
      expect(await store.read(`${aKind()}1`)).toEqual([]);
      expect(await store.read(`${aKind()}1`, 7)).toEqual([]);
    });

    it('gives the events as they were appended', async () => {
      const store = await fixture().open();
      const stream = `${aKind()}1`;
      const event = {
        ...anEvent({ text: 'naïve 雪 🎿 "quoted" \\ \u2028 \u0000', number: 1.5e-7, none: null, deep: [[{ a: [] }]] }),
        metadata: JSON.stringify({ schemaVersion: 1, actor: { kind: 'person', id: 'ünal' } }),
      };

      const { position } = await store.append(stream, 'no_stream', [event]);

      expect(await store.read(stream)).toEqual([{ ...event, stream, revision: 0, position }]);
    });

    it('gives the events from a revision on', async () => {
      const store = await fixture().open();
      const stream = `${aKind()}1`;
      const events = someEvents(5);
      await store.append(stream, 'no_stream', events);

      expect(ids(await store.read(stream, 3))).toEqual(ids(events.slice(3)));
      expect(await store.read(stream, 5)).toEqual([]);
    });

    it('keeps streams apart whose names begin alike', async () => {
      const store = await fixture().open();
      const kind = aKind();
      const [short, long] = [anEvent(), anEvent()];
      await store.append(`${kind}1`, 'no_stream', [short]);
      await store.append(`${kind}11`, 'no_stream', [long]);

      expect(ids(await store.read(`${kind}1`))).toEqual([short.id]);
      expect(ids(await store.read(`${kind}11`))).toEqual([long.id]);
    });

    it('sees at once what another instance appended', async () => {
      const [one, other] = [await fixture().open(), await fixture().open()];
      const stream = `${aKind()}1`;

      for (let revision = 0; revision < 10; revision += 1) {
        const writer = revision % 2 === 0 ? one : other;
        const reader = revision % 2 === 0 ? other : one;
        const event = anEvent();
        await writer.append(stream, revision === 0 ? 'no_stream' : revision - 1, [event]);
        expect(ids(await reader.read(stream, revision))).toEqual([event.id]);
      }
    });
  });

  describe('the head of the log', () => {
    it('is never behind an append that was answered', async () => {
      const [one, other] = [await fixture().open(), await fixture().open()];
      let last = BEGINNING;

      for (let index = 0; index < 5; index += 1) {
        const { position } = await one.append(`${aKind()}1`, 'no_stream', someEvents(2));
        expect(position > last).toBe(true);
        last = position;
        expect((await one.head()) >= position).toBe(true);
        expect((await other.head()) >= position).toBe(true);
      }
    });
  });

  describe('deleting a stream', () => {
    it('leaves nothing to read, and the stream can begin anew', async () => {
      const store = await fixture().open();
      const kind = aKind();
      await store.append(`${kind}1`, 'no_stream', someEvents(3));
      await store.append(`${kind}2`, 'no_stream', [anEvent()]);

      await store.deleteStream(`${kind}1`);
      await store.deleteStream(`${kind}1`);

      expect(await store.read(`${kind}1`)).toEqual([]);
      expect(await store.read(`${kind}2`)).toHaveLength(1);
      const again = anEvent();
      const { revision } = await store.append(`${kind}1`, 'no_stream', [again]);
      expect(await store.read(`${kind}1`)).toMatchObject([{ id: again.id, revision }]);
    });

    it('succeeds for a stream that does not exist', async () => {
      const store = await fixture().open();
      await expect(store.deleteStream(`${aKind()}1`)).resolves.toBeUndefined();
    });
  });
}
