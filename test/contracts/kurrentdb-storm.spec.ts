import { SystemClock } from '../../src/event-store/clock.js';
import { RevisionConflict, StoreUnavailable } from '../../src/event-store/errors.js';
import {
  type Appended,
  BEGINNING,
  type ExpectedRevision,
  type StoredEvent,
} from '../../src/event-store/event-store.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { aKind, anEvent, caughtUp, ids } from '../support/event-samples.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';

jest.setTimeout(60_000);

const DEADLINE_MS = 250;
/** What a call may take over its deadline: the grace of the connection and a busy machine. */
const SLACK_MS = 2_000;
const ABSENCE_MS = 10_000;
const STREAMS = 4;

const clock = new SystemClock();

interface Claim {
  readonly stream: string;
  readonly id: string;
  readonly revision: number;
}

/** Claims revision after revision of a few streams, and follows them, on a connection of its own. */
class Node {
  readonly won: Claim[] = [];
  readonly heard: StoredEvent[] = [];
  readonly #store: KurrentDbEventStore;
  readonly #stopping = new AbortController();
  readonly #writers: Promise<unknown>;
  readonly #following: Promise<void>;
  #writing = true;
  #position = BEGINNING;
  longestCallMs = 0;
  failures = 0;

  constructor(
    connectionString: string,
    private readonly kind: string,
  ) {
    const connection = KurrentDbConnection.open(connectionString, { deadlineMs: DEADLINE_MS });
    this.#store = new KurrentDbEventStore({ connection, quietMs: 500 });
    this.#writers = Promise.all(Array.from({ length: STREAMS }, (_, index) => this.#write(`${kind}${index}`)));
    this.#following = this.#follow();
  }

  /** Resolves when it has heard of all these. */
  async hears(claims: readonly Claim[]): Promise<void> {
    for (;;) {
      const heard = new Set(ids(this.heard));
      if (claims.every(({ id }) => heard.has(id))) return;
      await clock.wait(20);
    }
  }

  /** Resolves when the last append is settled. */
  async stopsWriting(): Promise<void> {
    this.#writing = false;
    await this.#writers;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#store.close();
  }

  /** Claims the next revision, again and again, with a fresh id each time. */
  async #write(stream: string): Promise<void> {
    let revision: ExpectedRevision = 'no_stream';
    while (this.#writing) {
      const event = anEvent();
      const told = await this.#claim(stream, revision, event);
      if (typeof told === 'object') {
        this.won.push({ stream, id: event.id, revision: told.revision });
        revision = told.revision;
      } else {
        revision = told;
      }
    }
  }

  /** The very same append until something is known: won, or where the stream is instead. */
  async #claim(stream: string, revision: ExpectedRevision, event: ReturnType<typeof anEvent>) {
    for (;;) {
      const start = performance.now();
      try {
        return (await this.#store.append(stream, revision, [event])) satisfies Appended;
      } catch (error) {
        if (error instanceof RevisionConflict) return error.actual;
        if (!(error instanceof StoreUnavailable)) throw error;
        this.failures += 1;
        await clock.wait(20);
      } finally {
        this.longestCallMs = Math.max(this.longestCallMs, performance.now() - start);
      }
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const feed = this.#store.subscribe({ after: this.#position, prefixes: [this.kind], signal });
        for await (const { events, position } of feed) {
          this.heard.push(...events);
          this.#position = position;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await clock.wait(20, signal);
      }
    }
  }
}

it('CLM-1, CLM-6 through every fault, none acknowledged is lost, none is doubled, one wins, and all are heard in order', async () => {
  const double = await EventStoreDouble.start();
  const kind = aKind();
  const nodes = [new Node(double.connectionString, kind), new Node(double.connectionString, kind)];
  const won = () => nodes.flatMap((node) => node.won);
  const progress = async (more = 20) => {
    for (const enough = won().length + more; won().length < enough; ) await clock.wait(10);
  };

  await progress();
  for (const faults of [{ dropBeforeCommit: 3 }, { dropAfterCommit: 3 }, { endCheckpoint: true }] as const) {
    await double.breaks(faults);
    await progress();
  }
  for (const faults of [
    { hang: ['append', 'read', 'subscribe'] },
    { loseAnswers: true },
    { notReady: true },
    { deny: true },
    { muteSubscriptions: true, delayMs: 5 },
  ] as const) {
    await double.breaks(faults);
    await clock.wait(350);
    await double.heals();
    await progress();
  }
  await double.freezes();
  await clock.wait(500);
  await double.thaws();
  await progress();
  await double.endsSubscriptions();
  await double.cutsConnections();
  await progress();
  await double.crashes();
  await double.restarts();
  await progress();
  await double.leaves();
  await clock.wait(ABSENCE_MS);
  await double.returns();
  const returned = performance.now();
  await progress(1);
  const recoveredAfterMs = performance.now() - returned;

  for (const node of nodes) await node.stopsWriting();
  for (const node of nodes) await node.hears(won());
  for (const node of nodes) await node.stop();

  const store = new KurrentDbEventStore({ connection: KurrentDbConnection.open(double.connectionString) });
  const { events: log } = await caughtUp(store, { after: BEGINNING, prefixes: [kind] });
  await store.close();
  await double.stop();
  const stored = new Map(log.map(({ id, stream, revision }) => [id, { stream, revision }]));
  expect(stored.size).toBe(log.length);
  for (const { id, stream, revision } of won()) expect(stored.get(id)).toEqual({ stream, revision });
  // Every event in the log was acknowledged to the one who wrote it, in the end.
  expect(won()).toHaveLength(log.length);
  for (const node of nodes) {
    const first = new Map<string, StoredEvent>();
    for (const event of node.heard) if (!first.has(event.id)) first.set(event.id, event);
    expect([...first.values()].map(({ position }) => position)).toEqual(log.map(({ position }) => position));
    expect(node.failures).toBeGreaterThan(0);
    expect(node.longestCallMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
  }
  expect(recoveredAfterMs).toBeLessThan(5_000);
});
