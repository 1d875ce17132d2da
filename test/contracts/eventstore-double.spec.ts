import { randomUUID } from 'node:crypto';
import {
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  type Position,
  type ResolvedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';

/**
 * The rules that the double reproduces, each asked through the store's own client: what the adapter is tested against
 * is only worth as much as this.
 */
describe('The double of an event store', () => {
  let double: EventStoreDouble;
  let client: EventStoreDBClient;
  /** Naming a user selects the unary call; without, the client appends through the batch call. */
  const credentials = { username: 'nobody', password: '' };
  const unary = { credentials };

  beforeAll(async () => {
    double = await EventStoreDouble.start();
    client = EventStoreDBClient.connectionString(double.connectionString);
  });
  beforeEach(() => double.heals());
  afterAll(async () => {
    await client.dispose();
    await double.stop();
  });

  const aStream = () => `s${randomUUID()}`;
  const anEvent = (id: string = randomUUID()) => jsonEvent({ id, type: 'Happened', data: { id } });
  const append = (
    stream: string,
    expectedRevision: AppendExpectedRevision,
    events = [anEvent()],
    options: object = unary,
  ) => client.appendToStream(stream, events, { expectedRevision, ...options });

  async function all(source: AsyncIterable<ResolvedEvent>): Promise<ResolvedEvent[]> {
    const events: ResolvedEvent[] = [];
    for await (const event of source) events.push(event);
    return events;
  }
  const read = (stream: string, options: object = {}) => all(client.readStream(stream, { ...unary, ...options }));
  const revisions = async (stream: string, options: object = {}) =>
    (await read(stream, options)).map((resolved) => Number(resolved.event?.revision));

  describe.each([
    ['the unary call', unary],
    ['the batch call', {}],
  ])('decides on an append through %s', (_name, options) => {
    const send = (stream: string, expected: AppendExpectedRevision, events = [anEvent()]) =>
      append(stream, expected, events, options);

    it('takes a new stream where none is expected or nothing is', async () => {
      expect(await send(aStream(), 'no_stream')).toMatchObject({ nextExpectedRevision: 0n });
      expect(await send(aStream(), 'any', [anEvent(), anEvent()])).toMatchObject({ nextExpectedRevision: 1n });
    });

    it('refuses a new stream where a revision is expected', async () => {
      await expect(send(aStream(), 0n)).rejects.toMatchObject({
        type: 'wrong-expected-version',
        actualVersion: 'no_stream',
      });
    });

    it('refuses another revision than the last, and tells it', async () => {
      const stream = aStream();
      await send(stream, 'no_stream', [anEvent(), anEvent()]);
      for (const expected of ['no_stream', 0n, 2n] as const) {
        await expect(send(stream, expected)).rejects.toMatchObject({ streamName: stream, actualVersion: 1n });
      }
      expect(await send(stream, 1n)).toMatchObject({ nextExpectedRevision: 2n });
    });

    it('answers the same ids at the same revision as it did, without writing', async () => {
      const stream = aStream();
      const [first, second] = [[anEvent(), anEvent()], [anEvent()]];
      const answer = await send(stream, 'no_stream', first);
      await send(stream, 1n, second);
      expect(await send(stream, 'no_stream', first)).toEqual(answer);
      expect(await revisions(stream)).toEqual([0, 1, 2]);
    });

    it('refuses ids that were stored in part, or elsewhere', async () => {
      const stream = aStream();
      const [a, b] = [anEvent(), anEvent()];
      await send(stream, 'no_stream', [a, b]);
      for (const events of [[a, anEvent()], [a, b, anEvent()], [b]]) {
        await expect(send(stream, 'no_stream', events)).rejects.toMatchObject({ actualVersion: 1n });
      }
      await expect(send(stream, 0n, [a])).rejects.toMatchObject({ actualVersion: 1n });
    });

    it('refuses more than a MiB, and writes none of it', async () => {
      const stream = aStream();
      const half = () => jsonEvent({ type: 'Happened', data: { id: 'x'.repeat(512 * 1024) } });
      await expect(send(stream, 'no_stream', [anEvent(), half(), half()])).rejects.toMatchObject({
        type: 'maximum-append-size-exceeded',
      });
      await expect(read(stream)).rejects.toMatchObject({ type: 'stream-not-found' });
    });

    it('refuses a stream that was removed for good', async () => {
      const stream = aStream();
      await client.tombstoneStream(stream, unary);
      for (const expected of ['no_stream', 'any', 0n] as const) {
        await expect(send(stream, expected)).rejects.toMatchObject({ type: 'stream-deleted' });
      }
    });
  });

  it('knows repeats with "any" from memory alone, which a restart loses; those at a revision from the log', async () => {
    const [loose, exact] = [aStream(), aStream()];
    const [a, b] = [anEvent(), anEvent()];
    await append(loose, 'any', [a]);
    await append(exact, 'no_stream', [b]);
    expect(await append(loose, 'any', [a])).toMatchObject({ nextExpectedRevision: 0n });

    await double.crashes();
    await double.restarts();
    client = EventStoreDBClient.connectionString(double.connectionString);

    expect(await append(loose, 'any', [a])).toMatchObject({ nextExpectedRevision: 1n });
    expect(await append(exact, 'no_stream', [b])).toMatchObject({ nextExpectedRevision: 0n });
    expect(await revisions(loose)).toEqual([0, 1]);
    expect(await revisions(exact)).toEqual([0]);
  });

  describe('deleting', () => {
    it('makes a stream not found; it can begin again and its revisions go on', async () => {
      const stream = aStream();
      const old = [anEvent(), anEvent()];
      await append(stream, 'no_stream', old);
      await client.deleteStream(stream, unary);
      await expect(read(stream)).rejects.toMatchObject({ type: 'stream-not-found' });
      await expect(append(stream, 0n)).rejects.toMatchObject({ actualVersion: 1n });

      expect(await append(stream, 'no_stream')).toMatchObject({ nextExpectedRevision: 2n });

      expect(await revisions(stream)).toEqual([2]);
      // The old ids are still in the log, so whoever begins a stream again needs new ones.
      expect(await append(stream, 'no_stream', old)).toMatchObject({ nextExpectedRevision: 1n });
      expect(await revisions(stream)).toEqual([2]);
    });

    it('takes the last revision of a deleted stream as well', async () => {
      const stream = aStream();
      await append(stream, 'no_stream', [anEvent(), anEvent()]);
      await client.deleteStream(stream, unary);
      expect(await append(stream, 1n)).toMatchObject({ nextExpectedRevision: 2n });
    });

    it('refuses another revision than the last, and takes what does not exist', async () => {
      const stream = aStream();
      await append(stream, 'no_stream', [anEvent(), anEvent()]);
      await expect(client.deleteStream(stream, { ...unary, expectedRevision: 0n })).rejects.toMatchObject({
        type: 'wrong-expected-version',
        actualVersion: 1n,
      });
      await client.deleteStream(stream, { ...unary, expectedRevision: 1n });
      await expect(client.deleteStream(aStream(), unary)).resolves.toBeDefined();
    });

    it('leaves the events in the log, until a server would scavenge', async () => {
      const stream = aStream();
      const event = anEvent();
      await append(stream, 'no_stream', [event]);
      await client.deleteStream(stream, unary);
      const log = await all(
        client.readAll({ ...unary, direction: BACKWARDS, fromPosition: END, maxCount: 2 }) as never,
      );
      expect(log.map((resolved) => resolved.event?.type)).toEqual(['$metadata', 'Happened']);
      expect(log[1]?.event?.id).toBe(event.id);
    });

    it('for good makes reading and deleting an error, too', async () => {
      const stream = aStream();
      await append(stream, 'no_stream');
      await client.tombstoneStream(stream, unary);
      await expect(read(stream)).rejects.toMatchObject({ type: 'stream-deleted', streamName: stream });
      await expect(client.deleteStream(stream, unary)).rejects.toMatchObject({ type: 'stream-deleted' });
    });
  });

  describe('reading', () => {
    it('a stream includes the revision it starts at, in both directions', async () => {
      const stream = aStream();
      await append(stream, 'no_stream', [anEvent(), anEvent(), anEvent(), anEvent()]);
      expect(await revisions(stream, { fromRevision: 1n })).toEqual([1, 2, 3]);
      expect(await revisions(stream, { fromRevision: 1n, maxCount: 2 })).toEqual([1, 2]);
      expect(await revisions(stream, { fromRevision: 4n })).toEqual([]);
      expect(await revisions(stream, { fromRevision: 2n, direction: BACKWARDS })).toEqual([2, 1, 0]);
      expect(await revisions(stream, { fromRevision: END, direction: BACKWARDS, maxCount: 1 })).toEqual([3]);
    });

    it('everything goes by position: forwards with the start, backwards without', async () => {
      const stream = aStream();
      await append(stream, 'no_stream', [anEvent(), anEvent(), anEvent()]);
      const places = (await read(stream)).map((resolved) => resolved.event?.position as Position);
      const from = async (fromPosition: Position, direction: typeof FORWARDS | typeof BACKWARDS) =>
        (await all(client.readAll({ ...unary, fromPosition, direction, maxCount: 2 }) as never)).map(
          (resolved) => resolved.event?.position,
        );

      expect(await from(places[1] as Position, FORWARDS)).toEqual(places.slice(1));
      expect(await from(places[2] as Position, BACKWARDS)).toEqual([places[1], places[0]]);
      expect(places.every(({ commit, prepare }) => commit === prepare)).toBe(true);
    });
  });

  describe('a subscription', () => {
    interface Heard {
      readonly events: string[];
      readonly checkpoints: Position[];
      readonly signs: string[];
    }

    /** Listens until there is enough, and tells everything in the order in which it came. */
    async function listen(
      prefix: string,
      fromPosition: Position | typeof START,
      enough: (heard: Heard) => boolean,
      during: () => Promise<unknown> = async () => {},
    ): Promise<Heard> {
      const heard: Heard = { events: [], checkpoints: [], signs: [] };
      const filter = streamNameFilter({
        prefixes: [prefix],
        checkpointReached: (_subscription, position) => void heard.checkpoints.push(position),
      });
      const subscription = client.subscribeToAll({ ...unary, fromPosition, filter });
      const told = new Promise<void>((resolve, reject) => {
        const look = () => enough(heard) && resolve();
        subscription.on('confirmation', () => {
          heard.signs.push('confirmation');
          look();
        });
        subscription.on('caughtUp', () => {
          heard.signs.push('caughtUp');
          look();
          void during();
        });
        subscription.on('data', (resolved: ResolvedEvent) => {
          heard.events.push(resolved.event?.id as string);
          look();
        });
        subscription.on('error', reject);
      });
      await told.finally(() => void subscription.unsubscribe());
      return heard;
    }
    const isCaughtUp = ({ signs }: Heard) => signs.includes('caughtUp');

    it('brings matching events behind its start, then says that it has caught up, then what comes', async () => {
      const stream = aStream();
      const events = [anEvent(), anEvent(), anEvent()];
      const later = anEvent();
      await append(stream, 'no_stream', events);
      await append(aStream(), 'no_stream');
      const [first] = await read(stream);

      const heard = await listen(
        stream,
        first?.event?.position as Position,
        ({ events: seen }) => seen.length === 3,
        () => append(stream, 2n, [later]),
      );

      expect(heard.events).toEqual([...events.slice(1), later].map(({ id }) => id));
      expect(heard.signs).toEqual(['confirmation', 'caughtUp']);
    });

    it('sends checkpoints that are positions of the log, as it looks through what does not match', async () => {
      const other = aStream();
      await append(
        other,
        'no_stream',
        Array.from({ length: 100 }, () => anEvent()),
      );
      const positions = new Set((await read(other)).map((resolved) => resolved.event?.position?.commit));
      const [start] = await read(other);

      const { checkpoints } = await listen(aStream(), start?.event?.position as Position, isCaughtUp);

      expect(checkpoints.length).toBeGreaterThanOrEqual(3);
      for (const { commit } of checkpoints) expect(positions.has(commit)).toBe(true);
    });

    it('sends a checkpoint when live after as many events as the interval says', async () => {
      const head = (await append(aStream(), 'no_stream')).position as Position;
      const prefix = aStream();
      const passedOver = Array.from({ length: 32 }, () => anEvent());
      const writing: Promise<{ position?: Position }>[] = [];

      const { checkpoints } = await listen(
        prefix,
        head,
        ({ events }) => events.length === 1,
        async () => {
          writing.push(append(aStream(), 'no_stream', passedOver));
          await Promise.all(writing);
          await append(prefix, 'no_stream');
        },
      );

      expect(checkpoints).toEqual([(await writing[0])?.position]);
    });

    it('refuses a position at which nothing stands', async () => {
      const { commit } = (await append(aStream(), 'no_stream', [anEvent(), anEvent()])).position as Position;
      const wrong = { commit: commit - 1n, prepare: commit - 1n };
      await expect(listen(aStream(), wrong, isCaughtUp)).rejects.toThrow('invalid position');
    });

    it('hears nothing where it begins behind the end, until the log gets there', async () => {
      const far = { commit: 2n ** 62n, prepare: 2n ** 62n };
      const { events, signs } = await listen(aStream(), far, isCaughtUp);
      expect({ events, signs }).toEqual({ events: [], signs: ['confirmation', 'caughtUp'] });
    });
  });

  it('tells the whole cluster who leads', async () => {
    const discovering = EventStoreDBClient.connectionString(`esdb+discover://127.0.0.1:${double.port}?tls=false`);
    const stream = aStream();
    await discovering.appendToStream(stream, anEvent(), { expectedRevision: 'no_stream', ...unary });
    expect(await revisions(stream)).toEqual([0]);
    await discovering.dispose();
  });
});
