import { StoreUnavailable } from '../../../src/event-store/errors.js';
import { KurrentDbConnection } from '../../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { anEvent } from '../event-samples.js';

/**
 * `append-through-faults <connection string> <stream>`: appends event behind event, repeating each until it is
 * acknowledged, and sends `acknowledged` for each and `away` for each failure. Told `stop`, it closes the store and does
 * nothing more: the process ends by itself, or it was not let go of something.
 */
const [connectionString, stream] = process.argv.slice(2) as [string, string];

const connection = KurrentDbConnection.open(connectionString, { deadlineMs: 300 });
const store = new KurrentDbEventStore({ connection, quietMs: 200 });
const listening = new AbortController();
let stopped = false;
process.once('disconnect', () => process.exit(1));
process.once('message', () => {
  stopped = true;
});

async function appendOne(revision: number | 'no_stream'): Promise<number> {
  const events = [anEvent()];
  while (true) {
    try {
      const appended = await store.append(stream, revision, events);
      process.send?.('acknowledged');
      return appended.revision;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      process.send?.('away');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function listen(): Promise<void> {
  let after = -1n;
  while (!stopped) {
    try {
      for await (const { position } of store.subscribe({ after, prefixes: [stream], signal: listening.signal })) {
        after = position;
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const heard = listen();
for (let revision: number | 'no_stream' = 'no_stream'; !stopped; ) revision = await appendOne(revision);
listening.abort();
await heard;
await store.close();
process.removeAllListeners('disconnect');
process.disconnect();
