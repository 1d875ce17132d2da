import { checkAppend } from '../../src/event-store/append-limits.js';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import {
  type Appended,
  EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FeedOptions,
  type NewEvent,
  type StoredEvent,
} from '../../src/event-store/event-store.js';
import type { MemoryLog } from './memory-log.js';

/** Where a call waits: before it reaches the log, before its answer arrives, or before a feed looks at the log again. */
export type PausePoint = 'append' | 'appended' | 'read' | 'feed';

/**
 * `commit`: written and answered. `refuse`: not written, and the caller knows. `lose_before`: not written, and the caller
 * cannot know. `lose_after`: written, and the caller cannot know.
 */
export type AppendFate = 'commit' | 'refuse' | 'lose_before' | 'lose_after';

export type ReadFate = 'answer' | 'refuse';

/**
 * `deliver`: as it is. `repeat`: twice. `split`: event by event. `hold`: not now; the feed pauses and asks again.
 * `drop`: the feed fails.
 */
export type FeedFate = 'deliver' | 'repeat' | 'split' | 'hold' | 'drop';

/** Decides, each time anew, what goes wrong. Drawn from a seed it makes a whole run repeatable. */
export interface FaultPlan {
  /** Every wait of the adapter. One that never resolves leaves the call hanging for ever. */
  pause(point: PausePoint): Promise<void>;
  appendFate(stream: string, events: readonly NewEvent[]): AppendFate;
  /** `undefined` stands for the look-up of the log's head. */
  readFate(stream: string | undefined): ReadFate;
  feedFate(batch: FeedBatch): FeedFate;
}

/** Nothing goes wrong and nothing takes long. */
export const CALM: FaultPlan = {
  pause: () => Promise.resolve(),
  appendFate: () => 'commit',
  readFate: () => 'answer',
  feedFate: () => 'deliver',
};

/**
 * One process's view of a {@link MemoryLog}. It holds no state of its own and no timer: all waiting is the plan's, save
 * that a feed without news waits for the log to grow.
 */
export class MemoryEventStore extends EventStore {
  #closed = false;
  #crashed = false;
  #underWay = 0;
  #whenIdle: (() => void)[] = [];

  constructor(
    readonly log: MemoryLog,
    private readonly plan: FaultPlan = CALM,
  ) {
    super();
  }

  /** The process is gone: whatever it waits for never comes, and nothing of it happens any more. */
  crash(): void {
    this.#crashed = true;
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    checkAppend(stream, expected, events);
    this.#assertOpen();
    this.#underWay += 1;
    try {
      await this.#pause('append');
      const fate = this.plan.appendFate(stream, events);
      if (fate === 'refuse') throw new StoreUnavailable('refused by plan', false);
      const appended = fate === 'lose_before' ? undefined : this.log.append(stream, expected, events);
      await this.#pause('appended');
      if (appended === undefined || fate === 'lose_after') throw new StoreUnavailable('lost by plan', true);
      return appended;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  override async read(stream: string, from = 0): Promise<readonly StoredEvent[]> {
    this.#assertOpen();
    await this.#pause('read');
    this.#assertReadable(stream);
    return this.log.read(stream, from);
  }

  override async *subscribe({ after, prefixes, signal }: FeedOptions): AsyncGenerator<FeedBatch> {
    let position: bigint | undefined;
    while (!signal.aborted) {
      await this.#pause('feed');
      if (signal.aborted) return;
      this.#assertOpen();
      const batch = this.log.batchBehind(position ?? after, prefixes);
      if (position === batch.position) {
        await this.log.grown(position, signal);
        continue;
      }
      const fate = this.plan.feedFate(batch);
      if (fate === 'hold') continue;
      if (fate === 'drop') throw new StoreUnavailable('dropped by plan', false);
      for (const part of parts(batch, fate)) {
        yield part;
        if (signal.aborted) return;
        position = part.position;
      }
    }
  }

  override async head(): Promise<bigint> {
    this.#assertOpen();
    await this.#pause('read');
    this.#assertReadable(undefined);
    return this.log.head;
  }

  override async deleteStream(stream: string): Promise<void> {
    this.#assertOpen();
    await this.#pause('append');
    this.log.delete(stream);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    this.log.wake();
  }

  async #pause(point: PausePoint): Promise<void> {
    await this.plan.pause(point);
    if (this.#crashed) await new Promise(() => {});
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreUnavailable('closed', false);
  }

  #assertReadable(stream: string | undefined): void {
    if (this.plan.readFate(stream) === 'refuse') throw new StoreUnavailable('refused by plan', false);
  }
}

function parts(batch: FeedBatch, fate: FeedFate): readonly FeedBatch[] {
  if (fate === 'repeat') return [batch, batch];
  if (fate === 'deliver' || batch.events.length < 2) return [batch];
  return batch.events.map((event, index) => {
    const last = index === batch.events.length - 1;
    return last ? { ...batch, events: [event] } : { events: [event], position: event.position, caughtUp: false };
  });
}
