import { StoreUnavailable } from '../../src/event-store/errors.js';
import { BEGINNING, type FeedBatch, MAX_EVENT_BYTES } from '../../src/event-store/event-store.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { compilePrograms, exitOf, nextMessage, startProgram } from '../support/compiled-processes.js';
import { aKind, anEvent, anEventOf, caughtUp, ids, someEvents } from '../support/event-samples.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { scratchFolder } from '../support/scratch-folder.js';

jest.setTimeout(30_000);

const DEADLINE_MS = 400;
const PATIENT_MS = 20_000;
/** What a call may take over its deadline: the grace of the connection and a busy machine. */
const SLACK_MS = 1_500;

describe('KurrentDB, when something goes wrong,', () => {
  let double: EventStoreDouble;
  /** Waits no longer than a test can. */
  let store: KurrentDbEventStore;
  /** Waits as long as it takes on a busy machine: for what comes before and after a fault. */
  let calm: KurrentDbEventStore;
  const opened: KurrentDbEventStore[] = [];
  const open = (connectionString = double.connectionString, deadlineMs = DEADLINE_MS) => {
    const connection = KurrentDbConnection.open(connectionString, { deadlineMs });
    const another = new KurrentDbEventStore({ connection, quietMs: 150 });
    opened.push(another);
    return another;
  };
  const aStream = () => `${aKind()}1`;

  beforeAll(async () => {
    double = await EventStoreDouble.start();
  });
  beforeEach(() => {
    store = open();
    calm = open(double.connectionString, PATIENT_MS);
  });
  afterEach(async () => {
    await double.heals();
    await double.thaws();
    await double.returns();
    for (const each of opened.splice(0)) await each.close();
  });
  afterAll(() => double.stop());

  const away = (outcomeUnknown: boolean) => expect.objectContaining({ name: 'StoreUnavailable', outcomeUnknown });

  async function inTime<T>(call: Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await call;
    } finally {
      expect(performance.now() - start).toBeLessThan(DEADLINE_MS + SLACK_MS);
    }
  }

  /** Repeats a call until the store answers, as its callers do. */
  async function recovered<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
    }
  }

  describe('an append', () => {
    it.each([
      ['the connection is lost before it is written', { dropBeforeCommit: 1 }],
      ['the connection is lost after it is written', { dropAfterCommit: 1 }],
      ['nobody answers', { hang: ['append'] }],
      ['the answer does not arrive', { loseAnswers: true }],
      ['the answer comes too late', { delayMs: 600 }],
    ] as const)(
      'has an unknown outcome when %s; repeated with the same ids it is written once',
      async (_when, faults) => {
        const stream = aStream();
        const events = someEvents(2);
        await double.breaks(faults);
        await expect(inTime(store.append(stream, 'no_stream', events))).rejects.toEqual(away(true));

        await double.heals();

        expect(await recovered(() => store.append(stream, 'no_stream', events))).toMatchObject({ revision: 1 });
        expect(ids(await calm.read(stream))).toEqual(ids(events));
      },
    );

    it.each([
      ['the server is not ready', { notReady: true }, 'not ready'],
      ['the server denies access', { deny: true }, 'denies access'],
    ] as const)('is not written, and is known not to be, when %s', async (_when, faults, reason) => {
      const stream = aStream();
      await double.breaks(faults);

      const append = inTime(store.append(stream, 'no_stream', [anEvent()]));
      await expect(append).rejects.toEqual(away(false));
      await expect(append).rejects.toThrow(reason);
      await expect(inTime(store.read(stream))).rejects.toEqual(away(false));

      await double.heals();
      expect(await recovered(() => store.read(stream))).toEqual([]);
    });

    it('is known not to be written when there is nobody to connect to', async () => {
      await double.leaves();
      // Whoever has just lost a connection cannot know; from here on nobody has one.
      await expect(store.head()).rejects.toThrow(StoreUnavailable);
      await expect(inTime(store.append(aStream(), 'no_stream', [anEvent()]))).rejects.toEqual(away(false));
      await double.returns();
      await recovered(() => store.head());
    });

    it('tells its position also where the server does not', async () => {
      await double.breaks({ withoutPositions: true });
      const stream = aStream();
      const { position } = await calm.append(stream, 'no_stream', someEvents(2));
      expect((await calm.read(stream))[1]?.position).toBe(position);
    });

    it('may only have been written when its position cannot be found out', async () => {
      await double.breaks({ withoutPositions: true, hang: ['read'] });
      const [stream, events] = [aStream(), [anEvent()]];
      await expect(store.append(stream, 'no_stream', events)).rejects.toEqual(away(true));
      await double.heals();
      expect(ids(await calm.read(stream))).toEqual(ids(events));
    });

    it('to a stream that was removed for ever is refused for ever', async () => {
      const stream = aStream();
      const connection = KurrentDbConnection.open(double.connectionString);
      await connection.client.tombstoneStream(stream, connection.callOptions);
      await connection.close();
      const refused = { name: 'AppendRefused', refusal: 'stream_removed', stream };
      await expect(calm.append(stream, 'no_stream', [anEvent()])).rejects.toMatchObject(refused);
      expect(await calm.read(stream)).toEqual([]);
      await expect(calm.deleteStream(stream)).resolves.toBeUndefined();
    });

    it('goes to the leader once another node has told who that is', async () => {
      const leader = await EventStoreDouble.start();
      await double.breaks({ leader: { host: '127.0.0.1', port: leader.port } });
      const [stream, events] = [aStream(), [anEvent()]];

      await expect(calm.append(stream, 'no_stream', events)).rejects.toEqual(away(false));
      await calm.append(stream, 'no_stream', events);

      expect(ids(await open(leader.connectionString, PATIENT_MS).read(stream))).toEqual(ids(events));
      await leader.stop();
    });

    it('never goes through the call that shares a table of unanswered appends between connections', async () => {
      await calm.append(aStream(), 'no_stream', [anEvent()]);
      const { append, batchAppend } = await double.calls();
      expect(append).toBeGreaterThan(0);
      expect(batchAppend).toBeUndefined();
    });
  });

  it('every call ends in time while the network is silent, and works again when it is not', async () => {
    const stream = aStream();
    await recovered(() => store.append(stream, 'no_stream', [anEvent()]));
    await double.freezes();
    const nextBatch = store.subscribe({ after: BEGINNING, prefixes: [stream], signal: new AbortController().signal });

    const calls = [
      store.append(stream, 0, [anEvent()]),
      store.append(aStream(), 'no_stream', [anEventOf(MAX_EVENT_BYTES)]),
      store.read(stream),
      store.head(),
      store.deleteStream(aStream()),
      nextBatch[Symbol.asyncIterator]().next(),
    ].map((call) => inTime<unknown>(call));

    for (const call of calls) await expect(call).rejects.toThrow(StoreUnavailable);
    await double.thaws();
    expect((await recovered(() => store.read(stream))).length).toBeGreaterThan(0);
  });

  it('more calls than a connection carries end in time, and do not keep later ones from it', async () => {
    await double.breaks({ hang: ['append', 'read'] });
    const calls = Array.from({ length: 240 }, (_, index) =>
      inTime<unknown>(index % 2 === 0 ? store.read(aStream()) : store.append(aStream(), 'no_stream', [anEvent()])),
    );
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await double.heals();

    await inTime(recovered(() => store.head()));
  });

  it('a read that goes silent half-way is not taken for the whole stream', async () => {
    const stream = aStream();
    await calm.append(stream, 'no_stream', someEvents(3));
    await double.breaks({ hang: ['read'] });
    await expect(inTime(store.read(stream))).rejects.toEqual(away(false));
  });

  describe('a feed', () => {
    /** Consumes a feed as its runner does: from its own position, through every drop. */
    function consumer(prefix: string, from = store) {
      const stopping = new AbortController();
      const batches: FeedBatch[] = [];
      const failures: unknown[] = [];
      const waiting = new Set<() => void>();
      let position = BEGINNING;
      const told = () => {
        for (const look of [...waiting]) look();
      };
      const running = (async () => {
        while (!stopping.signal.aborted) {
          try {
            const feed = from.subscribe({ after: position, prefixes: [prefix], signal: stopping.signal });
            for await (const batch of feed) {
              batches.push(batch);
              position = batch.position;
              told();
            }
          } catch (error) {
            failures.push(error);
            told();
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        }
      })();
      const until = (enough: () => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (!enough()) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        });
      return {
        batches,
        failures,
        heard: () => batches.flatMap((batch) => ids(batch.events)),
        position: () => position,
        isCaughtUp: () => batches[batches.length - 1]?.caughtUp === true,
        until,
        async stop() {
          stopping.abort();
          await running;
        },
      };
    }

    it.each([
      ['ends a subscription as if all were well', () => double.endsSubscriptions()],
      ['fails a subscription', () => double.failsSubscriptions(13, 'something inside')],
      ['drops a slow subscription', () => double.failsSubscriptions(10, 'Operation timed out: too slow')],
      ['cuts the connection', () => double.cutsConnections()],
    ])('is unavailable when the server %s, and a consumer that resumes misses nothing', async (_how, fault) => {
      const stream = aStream();
      const events = someEvents(3);
      await calm.append(stream, 'no_stream', [events[0] as never]);
      const feed = consumer(stream);
      await feed.until(feed.isCaughtUp);

      await fault();
      await feed.until(() => feed.failures.length > 0);
      await calm.append(stream, 0, events.slice(1));
      await feed.until(() => feed.heard().length >= 3);

      await feed.stop();
      expect(feed.failures[0]).toEqual(away(false));
      expect(feed.heard()).toEqual(ids(events));
    });

    it.each([
      ['hangs when it is subscribed to', { hang: ['subscribe'] }],
      ['hangs when it is asked where the log ends', { hang: ['read'] }],
      ['denies access to the whole log', { deny: true }],
    ] as const)('is unavailable, in time, when the server %s', async (_what, faults) => {
      await double.breaks(faults);
      const feed = consumer(aStream());
      await inTime(feed.until(() => feed.failures.length > 0));
      expect(feed.failures[0]).toEqual(away(false));
      await double.heals();
      await feed.until(feed.isCaughtUp);
      await feed.stop();
    });

    it('takes no checkpoint for a position where nothing was seen, be it 2^64−1', async () => {
      await double.breaks({ endCheckpoint: true });
      const stream = aStream();
      const feed = consumer(stream);
      await feed.until(feed.isCaughtUp);
      const head = await calm.head();
      expect(feed.position()).toBe(head);

      await double.endsSubscriptions();
      const events = someEvents(2);
      await calm.append(stream, 'no_stream', events);
      await feed.until(() => feed.heard().length === 2);

      await feed.stop();
      expect(feed.heard()).toEqual(ids(events));
    });

    it('takes no checkpoint for a position at which an event comes to stand later', async () => {
      await calm.append(aStream(), 'no_stream', someEvents(40));
      const head = await calm.head();
      const last = (await caughtUp(calm, { after: head, prefixes: [aStream()] })).position;
      await double.breaks({ checkpointsAhead: 1_000 });
      const stream = aStream();
      const { position } = await caughtUp(calm, { after: BEGINNING, prefixes: [stream] });
      expect([last, position]).toEqual([head, head]);

      await calm.append(stream, 'no_stream', [anEvent()]);
      expect((await caughtUp(calm, { after: position, prefixes: [stream] })).events).toHaveLength(1);
    });

    it('hears of events although its subscription has gone silent', async () => {
      const stream = aStream();
      const feed = consumer(stream, calm);
      await feed.until(feed.isCaughtUp);
      await double.breaks({ muteSubscriptions: true });
      const events = someEvents(2);
      await calm.append(stream, 'no_stream', events);

      await feed.until(() => feed.heard().length === 2);

      await feed.stop();
      expect(feed.heard()).toEqual(ids(events));
      expect(feed.failures).toEqual([]);
    });

    it('moves on while only others are written to', async () => {
      const feed = consumer(aStream(), calm);
      await feed.until(feed.isCaughtUp);
      const { position } = await calm.append(aStream(), 'no_stream', [anEvent()]);

      await feed.until(() => feed.position() >= position);

      await feed.stop();
      expect(feed.heard()).toEqual([]);
      expect(feed.failures).toEqual([]);
    });

    it('tells how far it is while it looks through much that is not its own', async () => {
      for (let index = 0; index < 25; index += 1) await calm.append(aStream(), 'no_stream', someEvents(100));
      const batches: FeedBatch[] = [];
      const { signal } = new AbortController();
      for await (const batch of calm.subscribe({ after: BEGINNING, prefixes: [aStream()], signal })) {
        batches.push(batch);
        if (batch.caughtUp) break;
      }
      expect(batches.length).toBeGreaterThan(1);
      const positions = batches.map((batch) => batch.position);
      expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)));
    });
  });

  it('nothing that was acknowledged is lost when the server is killed, and calls work again by themselves', async () => {
    const stream = aStream();
    const events = someEvents(5);
    await calm.append(stream, 'no_stream', events);
    await double.crashes();
    await expect(inTime(store.append(stream, 4, [anEvent()]))).rejects.toThrow(StoreUnavailable);
    await double.restarts();

    expect(ids(await recovered(() => store.read(stream)))).toEqual(ids(events));
    expect(await recovered(() => store.append(stream, 'no_stream', events))).toMatchObject({ revision: 4 });
  });

  describe('a cluster', () => {
    const seeds = () => `esdb://127.0.0.1:${double.port},localhost:${double.port}?tls=false&gossipTimeout=1`;

    it('is found through its seeds, and by its name', async () => {
      const byName = open(`esdb+discover://localhost:${double.port}?tls=false`, PATIENT_MS);
      const stream = aStream();
      await open(seeds(), PATIENT_MS).append(stream, 'no_stream', [anEvent()]);
      expect(await byName.read(stream)).toHaveLength(1);
    });

    it('may lose its leader while calls are under way, and nobody knows the next one', async () => {
      const clustered = open(seeds());
      const stream = aStream();
      await recovered(() => clustered.append(stream, 'no_stream', [anEvent()]));
      await double.breaks({ notReady: true, delayMs: 60, noGossip: true });

      const calls: Promise<unknown>[] = [];
      for (let call = 0; call < 20; call += 1) {
        calls.push(inTime(clustered.read(stream)));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      for (const call of calls) await expect(call).rejects.toThrow(StoreUnavailable);
      await double.heals();

      expect(await recovered(() => clustered.read(stream))).toHaveLength(1);
    });

    it('may be away as a whole, for many calls at once, and is found again', async () => {
      const clustered = open(seeds());
      const stream = aStream();
      await recovered(() => clustered.append(stream, 'no_stream', [anEvent()]));
      await double.leaves();

      for (let round = 0; round < 3; round += 1) {
        const calls = Array.from({ length: 10 }, (_, index) =>
          inTime<unknown>(index % 2 === 0 ? clustered.read(stream) : clustered.append(stream, 0, [anEvent()])),
        );
        for (const call of calls) await expect(call).rejects.toThrow(StoreUnavailable);
      }
      await double.returns();

      expect(await recovered(() => clustered.read(stream))).toHaveLength(1);
    });
  });

  it('a process outlives all of it, and ends by itself once it has closed its store', async () => {
    const folder = scratchFolder();
    compilePrograms(folder.path, 'append-through-faults');
    const stream = aStream();
    const connectionString = `esdb://127.0.0.1:${double.port},localhost:${double.port}?tls=false&gossipTimeout=1`;
    const child = startProgram(folder.path, 'append-through-faults', connectionString, stream);
    let acknowledged = 0;
    child.on('message', (message) => {
      acknowledged += message === 'acknowledged' ? 1 : 0;
    });
    const someMore = async () => {
      for (const enough = acknowledged + 3; acknowledged < enough; ) await nextMessage(child);
    };
    const someFailures = async () => {
      for (let failures = 0; failures < 3; ) if ((await nextMessage(child)) === 'away') failures += 1;
    };

    await someMore();
    for (const faults of [
      { notReady: true },
      { deny: true },
      { loseAnswers: true },
      { hang: ['append', 'read'] },
    ] as const) {
      await double.breaks(faults);
      await someFailures();
      await double.heals();
      await someMore();
    }
    for (const faults of [{ dropBeforeCommit: 3 }, { dropAfterCommit: 3 }]) {
      await double.breaks(faults);
      await someMore();
    }
    await double.endsSubscriptions();
    await double.leaves();
    await someFailures();
    await double.returns();
    await someMore();
    child.send('stop');

    expect(await exitOf(child)).toBe(0);
    expect(await calm.read(stream)).toHaveLength(acknowledged);
    folder.remove();
  });
});
