import type { EventStore } from '../../src/event-store/event-store.js';

/** A log for one test. */
export interface EventStoreFixture {
  /** Another instance on the same log, as another process would have it. */
  open(): Promise<EventStore>;
  /** Closes what the test left open, and removes the log where that is possible. */
  dispose(): Promise<void>;
}

export type UseFixture = () => EventStoreFixture;
