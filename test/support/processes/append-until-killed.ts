import { RevisionConflict } from '../../../src/event-store/errors.js';
import type { NewEvent } from '../../../src/event-store/event-store.js';
import { SqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { anEvent } from '../event-samples.js';

/**
 * `append-until-killed <file> <prefix> <streams>`: appends to each of so many streams, one event behind the other, and
 * sends a message (stream, id, revision) for each append once it was acknowledged. Other processes may do the same to
 * the same streams; who loses a revision goes on from what the winner left. Ends when it is told to, or never.
 */
const [path, prefix, streams] = process.argv.slice(2) as [string, string, string];

export interface Acknowledged {
  readonly stream: string;
  readonly id: string;
  readonly revision: number;
}

const store = SqliteEventStore.open({ path });
let stopped = false;
process.once('message', () => {
  stopped = true;
});

async function appendTo(stream: string): Promise<void> {
  let revision: number | 'no_stream' = 'no_stream';
  while (!stopped) {
    const events: NewEvent[] = [anEvent({ by: process.pid }), anEvent({ by: process.pid })];
    try {
      ({ revision } = await store.append(stream, revision, events));
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      revision = error.actual;
      continue;
    }
    events.forEach((event, index) => {
      const message: Acknowledged = { stream, id: event.id, revision: Number(revision) - 1 + index };
      process.send?.(message);
    });
  }
}

await Promise.all(Array.from({ length: Number(streams) }, (_, index) => appendTo(`${prefix}${index}`)));
await store.close();
process.disconnect();
