import fc from 'fast-check';
import { BEGINNING, type EventStore, type NewEvent } from '../../src/event-store/event-store.js';
import { aKind, caughtUp, ids, someEvents } from '../support/event-samples.js';
import type { UseFixture } from './event-store-fixture.js';

/** What a log is: the ids of each stream, and of all in the order they came. */
interface Model {
  readonly streams: Map<string, readonly NewEvent[]>;
  readonly order: NewEvent[];
}

interface Real {
  store: EventStore;
  readonly kind: string;
  readonly reopen: () => Promise<EventStore>;
}

type Told = { readonly revision: number } | { readonly refused: string };

const STREAMS = ['a', 'b', 'c'];

/** The rules of an append, once more and as short as can be. */
function tell(model: Model, stream: string, expected: number, events: readonly NewEvent[]): Told {
  const stored = model.streams.get(stream) ?? [];
  if (expected === stored.length - 1) {
    model.streams.set(stream, [...stored, ...events]);
    model.order.push(...events);
    return { revision: expected + events.length };
  }
  const there = ids(stored.slice(expected + 1, expected + 1 + events.length));
  const alike = ids(events).filter((id, index) => id === there[index]).length;
  if (events[0]?.id !== there[0]) return { refused: 'RevisionConflict' };
  return alike === events.length ? { revision: expected + events.length } : { refused: 'AppendRefused' };
}

class Append implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly stream: string,
    /** Which of the stream's events the append begins with, and how many of them and of new ones it has. */
    private readonly repeatFrom: number,
    private readonly repeated: number,
    private readonly fresh: number,
    /** How far from the right revision it is decided. */
    private readonly off: number,
  ) {}

  check(): boolean {
    return this.repeated + this.fresh > 0;
  }

  async run(model: Model, real: Real): Promise<void> {
    const stored = model.streams.get(this.stream) ?? [];
    const from = this.repeated === 0 ? stored.length : Math.min(this.repeatFrom, stored.length);
    const events = [...stored.slice(from, from + this.repeated), ...someEvents(this.fresh)];
    if (events.length === 0) return;
    const expected = Math.max(-1, from - 1 + this.off);

    const told = tell(model, this.stream, expected, events);

    const name = `${real.kind}${this.stream}`;
    const append = real.store.append(name, expected === -1 ? 'no_stream' : expected, events);
    if ('refused' in told) await expect(append).rejects.toMatchObject({ name: told.refused });
    else expect((await append).revision).toBe(told.revision);
    expect(ids(await real.store.read(name))).toEqual(ids(model.streams.get(this.stream) ?? []));
  }

  toString(): string {
    return `append(${this.stream}, ${this.repeated} from ${this.repeatFrom}, ${this.fresh} new, off ${this.off})`;
  }
}

class Read implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly stream: string,
    private readonly from: number,
  ) {}

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const expected = (model.streams.get(this.stream) ?? []).slice(this.from);
    expect(ids(await real.store.read(`${real.kind}${this.stream}`, this.from))).toEqual(ids(expected));
  }

  toString = () => `read(${this.stream}, ${this.from})`;
}

class Reopen implements fc.AsyncCommand<Model, Real> {
  check = () => true;

  async run(_model: Model, real: Real): Promise<void> {
    await real.store.close();
    real.store = await real.reopen();
  }

  toString = () => 'reopen';
}

export function modelContract(fixture: UseFixture): void {
  it('behaves as a simple model of a log does, whatever the order of appends, repetitions and restarts', async () => {
    const stream = fc.constantFrom(...STREAMS);
    const upTo = (max: number) => fc.nat({ max });
    const off = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 3 }));
    const commands = fc.commands(
      [
        fc.tuple(stream, upTo(3), off).map(([name, fresh, far]) => new Append(name, 0, 0, fresh, far)),
        fc
          .tuple(stream, upTo(8), upTo(3), upTo(2), off)
          .map(([name, from, repeated, fresh, far]) => new Append(name, from, repeated, fresh, far)),
        fc.tuple(stream, upTo(8)).map(([name, from]) => new Read(name, from)),
        fc.constant(new Reopen()),
      ],
      { maxCommands: 40 },
    );

    await fc.assert(
      fc.asyncProperty(commands, async (run) => {
        const model: Model = { streams: new Map(), order: [] };
        const reopen = () => fixture().open();
        const real: Real = { store: await reopen(), kind: aKind(), reopen };
        await fc.asyncModelRun(() => ({ model, real }), run);
        const { events } = await caughtUp(real.store, { after: BEGINNING, prefixes: [real.kind] });
        expect(ids(events)).toEqual(ids(model.order));
        await real.store.close();
      }),
      { numRuns: 40 },
    );
  }, 30_000);
}
