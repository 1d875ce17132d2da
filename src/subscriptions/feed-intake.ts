import { type Clock, timestamp } from '../event-store/clock.js';
import { type DecodedEvent, type EventCodec, EventUnreadable } from '../event-store/codec.js';
import type { StoredEvent } from '../event-store/event-store.js';
import { errorClassOf, type FeedConsumer, type ParkedEvent } from './feed-consumer.js';
import { type Patience, Stopped } from './patience.js';

/** An event that may not be passed over. */
export class Halted extends Error {
  override readonly name = 'Halted';
  constructor(readonly event: ParkedEvent) {
    super(`event ${event.revision} of ${event.stream} (${event.type}) cannot be passed over`);
  }
}

export interface FeedIntakeOptions {
  /** How often an event is tried before it is parked. */
  readonly attempts: number;
  /** Whether an event that cannot be taken in stops everything instead of being parked. */
  readonly haltOnPoison: boolean;
  readonly onParked: (event: ParkedEvent) => void;
}

/** Gets stored events into a consumer: reads them, finds the one that is at fault when a batch fails, and parks it. */
export class FeedIntake {
  constructor(
    private readonly consumer: FeedConsumer,
    private readonly codec: Pick<EventCodec, 'decode'>,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly patience: Patience,
    private readonly options: FeedIntakeOptions,
  ) {}

  /**
   * Resolves when each of the events is taken in or parked, and the position recorded.
   *
   * @throws {Halted} an event cannot be taken in, and none is parked. @throws {Stopped}
   */
  async take(stored: readonly StoredEvent[], position: bigint): Promise<void> {
    let readable: DecodedEvent[] = [];
    for (const event of stored) {
      const decoded = this.decode(event);
      if (decoded instanceof EventUnreadable) {
        await this.applyAll(readable);
        readable = [];
        await this.park(event, decoded.unreadable);
      } else {
        readable.push(decoded);
      }
    }
    await this.applyAll(readable, position);
  }

  private decode(event: StoredEvent): DecodedEvent | EventUnreadable {
    try {
      return this.codec.decode(event);
    } catch (error) {
      if (error instanceof EventUnreadable) return error;
      throw error;
    }
  }

  /** All at once where that works, else one by one. */
  private async applyAll(events: readonly DecodedEvent[], position = events[events.length - 1]?.position) {
    if (position === undefined) return;
    try {
      await this.patience.whileAway(() => this.consumer.apply(events, position));
    } catch (error) {
      if (error instanceof Stopped || events.length === 0) throw error;
      for (const event of events) await this.applyOne(event);
      await this.patience.whileAway(() => this.consumer.apply([], position));
    }
  }

  private async applyOne(event: DecodedEvent): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.patience.whileAway(() => this.consumer.apply([event], event.position));
        return;
      } catch (error) {
        if (error instanceof Stopped) throw error;
        if (failures >= this.options.attempts) {
          await this.park(event, errorClassOf(error));
          return;
        }
        await this.patience.after(error, failures);
      }
    }
  }

  private async park(event: StoredEvent | DecodedEvent, errorClass: string): Promise<void> {
    const { position, stream, revision, type } = event;
    const parkedAt = timestamp(this.clock.now());
    const parked: ParkedEvent = { position, stream, revision, type, errorClass, parkedAt };
    if (this.options.haltOnPoison) throw new Halted(parked);
    await this.patience.whileAway(() => this.consumer.park(parked));
    this.options.onParked(parked);
  }
}
