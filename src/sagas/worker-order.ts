import type { FeedEvent } from '../subscriptions/feed-consumer.js';

/**
 * Where processes do not share the due table's file, each sees by itself that a run is due. They look at it one after the
 * other: otherwise all would claim at the same moment, and all but one in vain.
 */
export interface WorkerOrder {
  /** Told of every event, in log order, before it is asked about the event's run. Events may come again. */
  heed(event: FeedEvent): void;
  /** How many others look at the run before this process does. `holderId`: who has the run's lease. */
  placeOf(stream: string, holderId?: string): number;
  /** How long each of them is given at present, in whole milliseconds. */
  slotMs(): number;
  /** Epoch milliseconds by this process's clock. */
  now(): number;
}
