import { StoreUnavailable } from '../../src/event-store/errors.js';
import type { KeyStore } from '../../src/event-store/key-store.js';

/** A key store for one test. */
export interface KeyStoreFixture {
  /** Another instance on the same keys, as another process would have it. */
  open(): Promise<KeyStore>;
  /** Moves the clock of all instances. */
  setTime(epochMs: number): void;
  dispose(): Promise<void>;
}

/** What every adapter of the key store has to keep. */
export function keyStoreContract(name: string, makeFixture: () => Promise<KeyStoreFixture>): void {
  describe(`the key store contract, kept by ${name}`, () => {
    let fixture: KeyStoreFixture;

    beforeEach(async () => {
      fixture = await makeFixture();
      fixture.setTime(1_000_000);
    });

    afterEach(() => fixture.dispose());

    describe('creating', () => {
      it('SEA-2 makes a working key and an outcome key, each its own', async () => {
        const store = await fixture.open();

        const one = await store.create('run-1');
        const other = await store.create('run-2');

        expect(one.working?.id).toBe('run-1/working');
        expect(one.outcome?.id).toBe('run-1/outcome');
        const secrets = [one, other].flatMap((keys) => [keys.working?.secret, keys.outcome?.secret]);
        expect(secrets.map((secret) => secret?.length)).toEqual([32, 32, 32, 32]);
        expect(new Set(secrets.map((secret) => secret?.toString('hex'))).size).toBe(4);
      });

      it('gives everybody the same keys, at the same time and later, here and elsewhere', async () => {
        const stores = [await fixture.open(), await fixture.open(), await fixture.open()];

        const all = await Promise.all(
          Array.from({ length: 60 }, (_, index) => (stores[index % 3] as KeyStore).create('run-1')),
        );

        for (const store of stores) all.push(await store.find('run-1'), await store.create('run-1'));
        for (const store of stores) await store.close();
        all.push(await (await fixture.open()).find('run-1'));
        expect(all[0]?.working).toBeDefined();
        for (const keys of all) expect(keys).toEqual(all[0]);
      });

      it('makes keys for many streams at once', async () => {
        const store = await fixture.open();
        const streams = Array.from({ length: 300 }, (_, index) => `run-${index}`);

        const made = await Promise.all(streams.map((stream) => store.create(stream)));

        const secrets = new Set(made.map((keys) => keys.working?.secret.toString('hex')));
        expect(secrets.size).toBe(streams.length);
        for (const [index, stream] of streams.entries()) expect(await store.find(stream)).toEqual(made[index]);
      });
    });

    it('finds nothing for a stream that never had keys', async () => {
      const store = await fixture.open();
      expect(await store.find('run-1')).toEqual({});
    });

    describe('destroying', () => {
      it('SEA-2 takes one key, for all who knew it, and leaves the other', async () => {
        const [store, other] = [await fixture.open(), await fixture.open()];
        const keys = await store.create('run-1');
        await other.find('run-1');

        await store.destroy('run-1', 'working');

        for (const each of [store, other, await fixture.open()]) {
          expect(await each.find('run-1')).toEqual({ outcome: keys.outcome });
        }
        await other.destroy('run-1', 'outcome');
        for (const each of [store, other]) expect(await each.find('run-1')).toEqual({});
      });

      it('SEA-2 is for good: nothing makes the key anew', async () => {
        const store = await fixture.open();
        const keys = await store.create('run-1');
        await store.destroy('run-1', 'working');

        expect(await store.create('run-1')).toEqual({ outcome: keys.outcome });
        await store.destroy('run-1', 'outcome');
        expect(await store.create('run-1')).toEqual({});
        await store.close();
        expect(await (await fixture.open()).create('run-1')).toEqual({});
      });

      it('succeeds again, and for a stream without keys', async () => {
        const store = await fixture.open();
        await store.create('run-1');
        await store.destroy('run-1', 'working');
        await store.destroy('run-1', 'working');
        await store.destroy('run-2', 'outcome');
        expect(await store.find('run-2')).toEqual({});
      });

      it('takes many keys at once and no others', async () => {
        const store = await fixture.open();
        const streams = Array.from({ length: 100 }, (_, index) => `run-${index}`);
        const made = await Promise.all(streams.map((stream) => store.create(stream)));

        await Promise.all(streams.slice(0, 50).map((stream) => store.destroy(stream, 'working')));

        for (const [index, stream] of streams.entries()) {
          const { working, outcome } = made[index] ?? {};
          expect(await store.find(stream)).toEqual(index < 50 ? { outcome } : { working, outcome });
        }
      });
    });

    describe('sweeping orphans', () => {
      const neverUsed = async () => false;

      it('destroys the keys of streams that got no event, once they are old enough', async () => {
        const store = await fixture.open();
        await store.create('run-old');
        fixture.setTime(1_000_100);
        const young = await store.create('run-young');

        expect(await store.sweepOrphans(1_000_000, neverUsed)).toBe(0);
        expect(await store.sweepOrphans(1_000_100, neverUsed)).toBe(1);

        expect(await store.find('run-old')).toEqual({});
        expect(await store.find('run-young')).toEqual(young);
        expect(await store.sweepOrphans(1_000_100, neverUsed)).toBe(0);
      });

      it('keeps the keys of streams with events, and asks about each of them once', async () => {
        const store = await fixture.open();
        const keys = await store.create('run-1');
        const asked: string[] = [];
        const isUsed = async (stream: string) => {
          asked.push(stream);
          return true;
        };

        expect(await store.sweepOrphans(2_000_000, isUsed)).toBe(0);
        expect(await store.sweepOrphans(2_000_000, isUsed)).toBe(0);

        expect(asked).toEqual(['run-1']);
        expect(await store.find('run-1')).toEqual(keys);
        expect(await store.create('run-1')).toEqual(keys);
      });

      it('lets a stream whose keys were swept have new ones', async () => {
        const [store, other] = [await fixture.open(), await fixture.open()];
        const before = await store.create('run-1');
        await other.find('run-1');
        await store.sweepOrphans(2_000_000, neverUsed);

        const after = await other.create('run-1');

        expect(after.working?.secret).toHaveLength(32);
        expect(after.working?.secret).not.toEqual(before.working?.secret);
        expect(await store.find('run-1')).toEqual(after);
      });

      it('keeps keys that are asked for again while it decides', async () => {
        const [store, other] = [await fixture.open(), await fixture.open()];
        const keys = await store.create('run-1');
        const startedAgainMeanwhile = async () => {
          fixture.setTime(3_000_000);
          await other.create('run-1');
          return false;
        };

        expect(await store.sweepOrphans(2_000_000, startedAgainMeanwhile)).toBe(0);
        expect(await store.find('run-1')).toEqual(keys);
      });

      it('goes through any number of streams', async () => {
        const store = await fixture.open();
        const streams = Array.from({ length: 700 }, (_, index) => `run-${index}`);
        await Promise.all(streams.map((stream) => store.create(stream)));
        const used = new Set(streams.filter((_, index) => index % 3 === 0));

        expect(await store.sweepOrphans(2_000_000, async (stream) => used.has(stream))).toBe(700 - used.size);
        for (const stream of streams) {
          expect(Object.keys(await store.find(stream))).toHaveLength(used.has(stream) ? 2 : 0);
        }
      });
    });

    it('is away once it is closed', async () => {
      const store = await fixture.open();
      await store.create('run-1');
      await store.close();
      await store.close();

      await expect(store.create('run-2')).rejects.toThrow(StoreUnavailable);
      await expect(store.find('run-1')).rejects.toThrow(StoreUnavailable);
      await expect(store.destroy('run-1', 'working')).rejects.toThrow(StoreUnavailable);
    });
  });
}
