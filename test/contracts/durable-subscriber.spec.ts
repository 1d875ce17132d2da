import { join } from 'node:path';
import { Global, Injectable, Module, type Provider, Scope } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '../../src/event-store/clock.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { Entropy } from '../../src/event-store/entropy.js';
import { EventStore } from '../../src/event-store/event-store.js';
import { DurableSubscriber, DurableSubscription } from '../../src/subscriptions/durable/durable-subscriber.js';
import { DurableSubscribers } from '../../src/subscriptions/durable/durable-subscribers.js';
import { type FeedEvent, RetryLater } from '../../src/subscriptions/feed-consumer.js';
import { SubscriptionsModule } from '../../src/subscriptions/subscriptions.module.js';
import { CALM, type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { counted, entropy, ignored, TALLY_CATALOGUE, tallyCodec } from '../support/tally.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** What subscribers were given, in order, beside how they are to behave. */
@Injectable()
class Notes {
  readonly delivered: string[] = [];
  before: (event: FeedEvent) => void | Promise<void> = () => {};

  async note(event: FeedEvent): Promise<void> {
    await this.before(event);
    this.delivered.push(`${event.stream.slice('tally-'.length)}${event.revision}=${event.data.n}`);
  }
}

@DurableSubscriber({ name: 'counter', events: ['Counted'] })
class Counter {
  constructor(private readonly notes: Notes) {}

  handle(event: FeedEvent): Promise<void> {
    return this.notes.note(event);
  }
}

describe('A durable subscriber', () => {
  const folder = scratchFolder();
  let clock: VirtualClock;
  let log: MemoryLog;
  let file: string;
  let files = 0;
  const running: TestingModule[] = [];

  beforeEach(() => {
    clock = new VirtualClock();
    log = new MemoryLog();
    files += 1;
    file = join(folder.path, `subscribers-${files}.sqlite`);
  });
  afterEach(async () => {
    for (const application of running.splice(0)) await application.close();
  });
  afterAll(() => folder.remove());

  /** A process with the given providers, on the log and the file that all share. */
  async function start(providers: Provider[] = [Notes, Counter], plan: FaultPlan = CALM, deliver = true) {
    const ports = [
      { provide: EventStore, useValue: new MemoryEventStore(log, plan) },
      { provide: EventCodec, useValue: tallyCodec },
      { provide: Clock, useValue: clock },
      { provide: Entropy, useValue: entropy },
    ];
    @Global()
    @Module({ providers: ports, exports: ports })
    class Ports {}
    const kinds = [{ prefixes: ['tally-'], events: TALLY_CATALOGUE }];
    const imports = [Ports, SubscriptionsModule.forRoot({ file, kinds, deliver })];
    const application = await Test.createTestingModule({ imports, providers }).compile();
    application.useLogger(false);
    running.push(application);
    await application.init();
    await clock.settle();
    return application;
  }

  async function stop(application: TestingModule): Promise<void> {
    running.splice(running.indexOf(application), 1);
    await application.close();
  }

  function append(stream: string, ...numbers: number[]): void {
    const length = log.read(`tally-${stream}`, 0).length;
    log.append(`tally-${stream}`, length === 0 ? 'no_stream' : length - 1, numbers.map(counted));
  }

  const parkedBy = (application: TestingModule) =>
    application
      .get(DurableSubscribers)
      .parked()
      .flatMap(({ events }) =>
        events.map(({ stream, revision, errorClass }) => `${stream.slice(6)}${revision} ${errorClass}`),
      );

  it('gets every event that it names, those before its first start too, in order', async () => {
    append('a', 1, 2);
    const { delivered } = (await start()).get(Notes);
    log.append('tally-a', 1, [ignored()]);
    append('b', 3);
    await clock.settle();
    expect(delivered).toEqual(['a0=1', 'a1=2', 'b0=3']);
  });

  it('goes on from its own checkpoint after a restart', async () => {
    append('a', 1);
    await stop(await start());
    append('a', 2);
    const { delivered } = (await start()).get(Notes);
    expect(delivered).toEqual(['a1=2']);
  });

  it('gets an event again whose handling a crash cut short', async () => {
    append('a', 1, 2);
    const crashing = await start();
    const { delivered } = crashing.get(Notes);
    crashing.get(Notes).before = () => new Promise(() => {});
    append('a', 3);
    await clock.settle();
    expect(delivered).toEqual(['a0=1', 'a1=2']);
    // Its time stands still from here on: it renews no lease and never comes back.
    running.pop();
    clock = new VirtualClock(clock.now());
    const heir = await start();
    expect(heir.get(Notes).delivered).toEqual([]);
    await clock.advance(45_000);
    expect(heir.get(Notes).delivered).toEqual(['a2=3']);
  });

  it('does not lose an event to a feed that drops, and is delivered it once where nothing fails', async () => {
    let fates = 0;
    const plan: FaultPlan = {
      ...CALM,
      feedFate: () => (['drop', 'repeat', 'hold', 'split'] as const)[fates++ % 4] ?? 'deliver',
    };
    append('a', 1, 2, 3);
    const { delivered } = (await start([Notes, Counter], plan)).get(Notes);
    await clock.advance(10_000);
    append('a', 4);
    await clock.advance(10_000);
    expect(delivered).toEqual(['a0=1', 'a1=2', 'a2=3', 'a3=4']);
  });

  describe('that fails on an event', () => {
    async function withParked() {
      const application = await start();
      const notes = application.get(Notes);
      notes.before = ({ data }) => {
        if (data.n === 2) throw new TypeError('never');
      };
      append('a', 1, 2, 3);
      append('b', 4);
      await clock.advance(60_000);
      return { application, notes };
    }

    it('has it parked after some tries, with what follows in its stream, and gets the other streams', async () => {
      const { application, notes } = await withParked();
      expect(notes.delivered).toEqual(['a0=1', 'b0=4']);
      expect(parkedBy(application)).toEqual(['a1 TypeError', 'a2 behind_parked']);
    });

    it('gets it again, and what follows in order, when it is asked for', async () => {
      const { application, notes } = await withParked();
      notes.before = () => {};
      await expect(application.get(DurableSubscribers).retry('counter')).resolves.toBe(true);
      expect(notes.delivered).toEqual(['a0=1', 'b0=4', 'a1=2', 'a2=3']);
      expect(parkedBy(application)).toEqual([]);
      append('a', 5);
      await clock.settle();
      expect(notes.delivered.at(-1)).toBe('a3=5');
      await expect(application.get(DurableSubscribers).retry('nobody')).resolves.toBe(false);
    });

    it('keeps it parked where it fails again', async () => {
      const { application, notes } = await withParked();
      await application.get(DurableSubscribers).retry('counter');
      expect(parkedBy(application)).toEqual(['a1 TypeError', 'a2 behind_parked']);
      expect(notes.delivered).toEqual(['a0=1', 'b0=4']);
    });

    it('gets it again at the next start', async () => {
      const { application } = await withParked();
      await stop(application);
      const next = await start();
      expect(next.get(Notes).delivered).toEqual(['a1=2', 'a2=3']);
      expect(parkedBy(next)).toEqual([]);
    });

    it('gets it again from the process that delivers when another asks for it', async () => {
      const { application, notes } = await withParked();
      const asking = await start([Notes, Counter], CALM, false);
      expect(parkedBy(asking)).toEqual(['a1 TypeError', 'a2 behind_parked']);
      notes.before = () => {};
      await asking.get(DurableSubscribers).retry('counter');
      await clock.advance(10_000);
      expect(parkedBy(application)).toEqual([]);
      expect(asking.get(Notes).delivered).toEqual([]);
    });

    it('has nothing parked for a wrong moment, however long it lasts', async () => {
      const application = await start();
      application.get(Notes).before = () => {
        if (clock.now() < Date.parse('2030-01-01T00:05:00.000Z')) throw new RetryLater('the mail server is away');
      };
      append('a', 1);
      await clock.advance(600_000);
      expect(application.get(Notes).delivered).toEqual(['a0=1']);
      expect(parkedBy(application)).toEqual([]);
    });
  });

  describe('of several processes on one data folder', () => {
    it('is delivered to by one at a time', async () => {
      const [one, other] = [await start(), await start()];
      append('a', 1, 2);
      await clock.advance(60_000);
      append('a', 3);
      await clock.advance(60_000);
      expect(one.get(Notes).delivered).toEqual(['a0=1', 'a1=2', 'a2=3']);
      expect(other.get(Notes).delivered).toEqual([]);
      expect(one.get(DurableSubscribers).readings()).toMatchObject([
        { consumer: 'counter', state: 'following', behindMs: 0 },
      ]);
      expect(other.get(DurableSubscribers).readings()).toEqual([]);
    });

    it('is delivered to by another when one stops', async () => {
      const [one, other] = [await start(), await start()];
      append('a', 1);
      await clock.settle();
      await stop(one);
      append('a', 2);
      await clock.advance(10_000);
      expect(other.get(Notes).delivered).toEqual(['a1=2']);
    });
  });

  it('is handed the event under way to its end when the application stops', async () => {
    const application = await start();
    let release = () => {};
    application.get(Notes).before = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    append('a', 1, 2);
    await clock.settle();
    const stopped = stop(application);
    await clock.settle();
    release();
    await stopped;
    expect(application.get(Notes).delivered).toEqual(['a0=1']);
  });

  it('is refused at the start when it is declared wrongly, in a sentence that names it', async () => {
    @DurableSubscriber({ name: 'counter', events: ['Counted', 'Recounted'] })
    class Misspelt {
      handle(): void {}
    }
    @DurableSubscriber({ name: 'Not A Name', events: [] })
    class Nameless {
      handle(): void {}
    }
    @DurableSubscriber({ name: 'deaf', events: ['Counted'] })
    class Deaf {}
    @DurableSubscription({ name: 'fleeting', events: ['Counted'] })
    @Injectable({ scope: Scope.REQUEST })
    class Fleeting {
      handle(): void {}
    }
    await expect(start([Notes, Counter, Misspelt, Nameless, Deaf, Fleeting])).rejects.toThrow(
      [
        'durable subscribers are declared wrongly:',
        '- Deaf: it has no method handle(event)',
        '- Fleeting: it is made anew for each request, so no event can reach it',
        '- Misspelt: there is no event "Recounted"',
        '- Nameless: the name "Not A Name" has other characters than a-z, 0-9 and hyphen, or is too long',
        '- Nameless: it names no event',
        '- Counter, Misspelt: they share the name "counter"',
      ].join('\n'),
    );
    running.length = 0;
  });
});
