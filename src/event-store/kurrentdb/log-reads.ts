import {
  BACKWARDS,
  END,
  FORWARDS,
  type ResolvedEvent,
  START,
  StreamDeletedError,
  type StreamingRead,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { BEGINNING, type StoredEvent } from '../event-store.js';
import { storedEvent } from './event-conversion.js';
import { asUnavailable, Unanswered } from './failures.js';
import { Inflow } from './inflow.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';

/** The events of a stream from a revision on, at most so many; none where there is no such stream. @throws {StoreUnavailable} */
export async function readStream(
  connection: KurrentDbConnection,
  stream: string,
  from: number,
  atMost = Number.MAX_SAFE_INTEGER,
): Promise<readonly StoredEvent[]> {
  const options = { ...connection.callOptions, direction: FORWARDS, maxCount: atMost } as const;
  const fromRevision = from === 0 ? START : BigInt(from);
  return (await collect(connection, () => connection.client.readStream(stream, { ...options, fromRevision }))).map(
    storedEvent,
  );
}

/** The last event of a stream, if it has one. @throws {StoreUnavailable} */
export async function lastOf(connection: KurrentDbConnection, stream: string): Promise<StoredEvent | undefined> {
  const options = { ...connection.callOptions, direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
  const [event] = await collect(connection, () => connection.client.readStream(stream, options));
  return event === undefined ? undefined : storedEvent(event);
}

/** Position of the last event of the whole log. @throws {StoreUnavailable} */
export async function headOf(connection: KurrentDbConnection): Promise<bigint> {
  const options = { ...connection.callOptions, direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
  const [event] = await collect(connection, () => connection.client.readAll(options) as StreamingRead<ResolvedEvent>);
  return event === undefined ? BEGINNING : storedEvent(event).position;
}

/** Everything that a read brings; the limit is on the time between two events, since streams are of any length. */
async function collect(
  connection: KurrentDbConnection,
  read: () => StreamingRead<ResolvedEvent>,
): Promise<readonly ResolvedEvent[]> {
  return connection.during(async () => {
    const source = read();
    const inflow = new Inflow(source, () => source.cancel());
    const events: ResolvedEvent[] = [];
    try {
      for (;;) {
        const event = inflow.take();
        if (event !== undefined) events.push(event);
        else if (inflow.isOver()) return events;
        else if (!(await inflow.sign(connection.deadlineMs, []))) throw new Unanswered();
      }
    } catch (error) {
      if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError) return [];
      throw asUnavailable(error, false);
    } finally {
      inflow.close();
    }
  });
}
