import { setImmediate as afterIo } from 'node:timers/promises';
import { type AllStreamSubscription, type Position, START, streamNameFilter } from '@eventstore/db-client';
import { BEGINNING, type StoredEvent } from '../event-store.js';
import { isPlace, storedEvent } from './event-conversion.js';
import { Inflow } from './inflow.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';

/** A batch ends after so many events or characters. */
const MAX_BATCH_EVENTS = 500;
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/** How many events the server looks through in one go, and after how many of such goes it reports where it is. */
const SEARCH_WINDOW = 500;
const CHECKPOINT_INTERVAL = 2;

/** Something that the server said behind events which were not all taken yet. */
interface Mark {
  /** How many events are to be taken before it counts. */
  behind: number;
}

/** One subscription to the streams with given prefixes, as long as it lasts. */
export class LogSubscription {
  readonly #inflow: Inflow;
  #confirmed = false;
  #caughtUp: Mark | undefined;
  #checkpoint: (Mark & { readonly position: Position }) | undefined;

  constructor(connection: KurrentDbConnection, after: bigint, prefixes: readonly string[]) {
    const filter = streamNameFilter({
      prefixes: [...new Set(prefixes)],
      maxSearchWindow: SEARCH_WINDOW,
      checkpointInterval: CHECKPOINT_INTERVAL,
      // It must not throw or reject, or the subscription would stand still for ever.
      checkpointReached: (_subscription, position) => {
        this.#checkpoint = { position, behind: this.#inflow.waiting };
        this.#inflow.wake();
      },
    });
    const fromPosition = after === BEGINNING ? START : { commit: after, prepare: after };
    const source: AllStreamSubscription = connection.client.subscribeToAll(
      { ...connection.callOptions, fromPosition, filter },
      { highWaterMark: MAX_BATCH_EVENTS },
    );
    this.#inflow = new Inflow(source, () => source.unsubscribe());
    source.on('confirmation', () => {
      this.#confirmed = true;
      this.#inflow.wake();
    });
    source.on('caughtUp', () => {
      this.#caughtUp = { behind: this.#inflow.waiting };
      this.#inflow.wake();
    });
  }

  /** The server has answered. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** All events that were there when the subscription began have been taken, and what came since is live. */
  get live(): boolean {
    return this.#caughtUp?.behind === 0;
  }

  /** Events that have come and were not taken yet. */
  get waiting(): number {
    return this.#inflow.waiting;
  }

  /**
   * What has come, in the order of the log. While the subscription catches up, much comes at once and in small portions;
   * they are gathered, because each batch costs its consumer a transaction.
   *
   * @throws {StoreUnavailable} the server does not tell positions.
   */
  async take(): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    let characters = 0;
    while (events.length < MAX_BATCH_EVENTS && characters < MAX_BATCH_CHARACTERS) {
      const resolved = this.#inflow.take();
      if (resolved !== undefined) {
        this.#countDown();
        const event = storedEvent(resolved);
        events.push(event);
        characters += event.data.length + event.metadata.length;
      } else {
        if (this.live || events.length === 0) break;
        await afterIo();
        if (this.waiting === 0) break;
      }
    }
    return events;
  }

  #countDown(): void {
    for (const mark of [this.#caughtUp, this.#checkpoint]) if (mark !== undefined && mark.behind > 0) mark.behind -= 1;
  }

  /**
   * How far the server says that it has looked, up to `head`, where the log is known to reach. Beyond that nothing is
   * taken on faith: servers have sent 2^64−1 for "nothing yet" and places at which an event came to stand later, and
   * whoever resumes there misses events. Positions with two different halves cannot be resumed at by one number.
   */
  lookedThrough(head: bigint): bigint {
    const checkpoint = this.#checkpoint;
    if (checkpoint === undefined || checkpoint.behind > 0) return BEGINNING;
    const { commit, prepare } = checkpoint.position;
    return isPlace(commit) && commit === prepare && commit <= head ? commit : BEGINNING;
  }

  /** True when the server ended it. Asked when there is nothing to take. @throws whatever the client failed with. */
  isOver(): boolean {
    return this.#inflow.isOver();
  }

  /** See {@link Inflow.sign}. */
  sign(ms: number, signals: readonly AbortSignal[]): Promise<boolean> {
    return this.#inflow.sign(ms, signals);
  }

  close(): void {
    this.#inflow.close();
  }
}
