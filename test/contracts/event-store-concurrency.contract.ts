import type { Appended, ExpectedRevision, NewEvent } from '../../src/event-store/event-store.js';
import { aKind, anEvent, ids, someEvents } from '../support/event-samples.js';
import type { UseFixture } from './event-store-fixture.js';

const APPENDS = 64;

export function concurrencyContract(fixture: UseFixture): void {
  describe('appends at the same time', () => {
    it('CLM-1 one of 64 to the same revision wins, and each is told its own result', async () => {
      const store = await fixture().open();
      const stream = `${aKind()}1`;
      let revision: ExpectedRevision = 'no_stream';

      for (const next of [0, 1, 2]) {
        const events = someEvents(APPENDS);
        const results = await Promise.allSettled(events.map((event) => store.append(stream, revision, [event])));
        const winners = events.filter((_, index) => results[index]?.status === 'fulfilled');

        expect(winners).toHaveLength(1);
        expect(ids((await store.read(stream)).slice(next))).toEqual(ids(winners));
        for (const result of results) {
          if (result.status === 'fulfilled') expect(result.value.revision).toBe(next);
          else expect(result.reason).toMatchObject({ name: 'RevisionConflict', actual: next });
        }
        revision = next;
      }
    });

    it('CLM-1 one wins among several instances on the same log', async () => {
      const stores = [await fixture().open(), await fixture().open(), await fixture().open()];
      const stream = `${aKind()}1`;
      const appends = stores.flatMap((store) =>
        someEvents(10).map((event) => ({ event, result: store.append(stream, 'no_stream', [event]) })),
      );

      const results = await Promise.allSettled(appends.map(({ result }) => result));

      const winners = appends.filter((_, index) => results[index]?.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      for (const store of stores) expect(ids(await store.read(stream))).toEqual([winners[0]?.event.id]);
    });

    it('all of many streams get their events', async () => {
      const store = await fixture().open();
      const kind = aKind();
      const batches = new Map<string, NewEvent[]>();
      for (let index = 0; index < 200; index += 1) batches.set(`${kind}${index}`, someEvents(1 + (index % 3)));

      const appended = await Promise.all(
        [...batches].map(([stream, events]) => store.append(stream, 'no_stream', events)),
      );

      const positions = new Set(appended.map(({ position }) => position));
      expect(positions.size).toBe(batches.size);
      for (const [stream, events] of batches) expect(ids(await store.read(stream))).toEqual(ids(events));
    });

    it('a success, its repetition, a conflict and a refusal do not change each other', async () => {
      const store = await fixture().open();
      const kind = aKind();
      const taken = `${kind}taken`;
      const partly = `${kind}partly`;
      const repeated = someEvents(2);
      const stored = anEvent();
      await store.append(taken, 'no_stream', [anEvent()]);
      await store.append(partly, 'no_stream', [stored, anEvent()]);

      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) => [
          store.append(`${kind}fresh${index}`, 'no_stream', someEvents(2)),
          store.append(`${kind}repeated`, 'no_stream', repeated),
          store.append(taken, 'no_stream', someEvents(2)),
          store.append(partly, 'no_stream', [stored, anEvent()]),
        ]).flat(),
      );

      const told = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? (outcome.value as Appended).revision : (outcome.reason as Error).name,
      );
      expect(told).toEqual(Array.from({ length: 10 }, () => [1, 1, 'RevisionConflict', 'AppendRefused']).flat());
      expect(ids(await store.read(`${kind}repeated`))).toEqual(ids(repeated));
      expect(await store.read(taken)).toHaveLength(1);
      expect(await store.read(partly)).toHaveLength(2);
    });
  });
}
