import { appendContract } from './event-store-append.contract.js';
import { concurrencyContract } from './event-store-concurrency.contract.js';
import { feedContract } from './event-store-feed.contract.js';
import type { EventStoreFixture } from './event-store-fixture.js';
import { modelContract } from './event-store-model.contract.js';
import { readContract } from './event-store-read.contract.js';

/** What every adapter of the event store has to keep. Streams have names of their own, so the log may hold others. */
export function eventStoreContract(name: string, makeFixture: () => Promise<EventStoreFixture>): void {
  describe(`the event store contract, kept by ${name}`, () => {
    let fixture: EventStoreFixture;
    const useFixture = () => fixture;

    beforeEach(async () => {
      fixture = await makeFixture();
    });

    afterEach(() => fixture.dispose());

    appendContract(useFixture);
    concurrencyContract(useFixture);
    readContract(useFixture);
    feedContract(useFixture);
    modelContract(useFixture);
  });
}
