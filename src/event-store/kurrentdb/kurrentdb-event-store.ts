import {
  type AppendResult,
  MaxAppendSizeExceededError,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { assertRepeat, firstRevision } from '../append-guard.js';
import { checkAppend } from '../append-limits.js';
import { AppendRefused, RevisionConflict, StoreUnavailable } from '../errors.js';
import {
  type Appended,
  EventStore,
  type ExpectedRevision,
  type FeedBatch,
  type FeedOptions,
  type NewEvent,
  type StoredEvent,
} from '../event-store.js';
import { eventData } from './event-conversion.js';
import { exceptionOf } from './failures.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { LogFeed } from './log-feed.js';
import { headOf, readStream } from './log-reads.js';
import { removeStream } from './stream-removal.js';

export interface KurrentDbEventStoreOptions {
  /** The process's connection. Closing the store closes it. */
  readonly connection: KurrentDbConnection;
  /** After how long a silence, in milliseconds, a feed no longer trusts its subscription. Default 15,000. */
  readonly quietMs?: number;
}

/**
 * The event log in KurrentDB or EventStoreDB.
 *
 * Every append names its exact revision: the server then compares a repeat with the log itself, whereas with "any" it
 * remembers ids only until it restarts.
 */
export class KurrentDbEventStore extends EventStore {
  readonly #connection: KurrentDbConnection;
  readonly #quietMs: number;

  constructor({ connection, quietMs = 15_000 }: KurrentDbEventStoreOptions) {
    super();
    this.#connection = connection;
    this.#quietMs = quietMs;
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    checkAppend(stream, expected, events);
    return this.#connection.during(async () => {
      try {
        return await this.#appended(stream, await this.#send(stream, expected, events));
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        return this.#repeated(error, events);
      }
    });
  }

  #send(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const { client, callOptions } = this.#connection;
    const data = events.map(eventData);
    const expectedRevision = expected === 'no_stream' ? NO_STREAM : BigInt(expected);
    return this.#connection.change(
      () => client.appendToStream(stream, data, { ...callOptions, expectedRevision }),
      (error) => refusalOf(error, stream, expected),
    );
  }

  /** A server that finds an append repeated may know its revision and not its position. */
  async #appended(stream: string, { nextExpectedRevision, position }: AppendResult): Promise<Appended> {
    const revision = Number(nextExpectedRevision);
    if (position !== undefined) return { revision, position: position.commit };
    try {
      const [last] = await readStream(this.#connection, stream, revision, 1);
      if (last !== undefined) return { revision, position: last.position };
    } catch (cause) {
      throw new StoreUnavailable('the event store did not tell the position of an append', true, { cause });
    }
    throw new StoreUnavailable('the event store did not find an event that it had acknowledged', true);
  }

  /**
   * What a conflict really is. The server recognises complete repeats and calls one in part a conflict, which would make
   * whoever decides decide anew; so we look at what is stored.
   */
  async #repeated(conflict: RevisionConflict, events: readonly NewEvent[]): Promise<Appended> {
    const { stream, expected, actual } = conflict;
    const first = firstRevision(expected);
    if (actual === 'no_stream' || actual < first) throw conflict;
    const stored = await readStream(this.#connection, stream, first, events.length);
    const ids = stored.filter((event, index) => event.revision === first + index).map((event) => event.id);
    assertRepeat(stream, expected, actual, events, ids);
    const last = stored[stored.length - 1] as StoredEvent;
    return { revision: last.revision, position: last.position };
  }

  override read(stream: string, from = 0): Promise<readonly StoredEvent[]> {
    return readStream(this.#connection, stream, from);
  }

  override subscribe(options: FeedOptions): AsyncIterable<FeedBatch> {
    return new LogFeed(this.#connection, options, this.#quietMs).batches();
  }

  override head(): Promise<bigint> {
    return headOf(this.#connection);
  }

  /** Its events leave the disk when the server is scavenged. */
  override deleteStream(stream: string): Promise<void> {
    return removeStream(this.#connection, stream);
  }

  override close(): Promise<void> {
    return this.#connection.close();
  }
}

/** What an error says of the append itself; undefined where it speaks of the store. */
function refusalOf(error: unknown, stream: string, expected: ExpectedRevision): Error | undefined {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    // The client's "any" and "stream_exists" are only ever what was expected, never what there is.
    return new RevisionConflict(
      stream,
      expected,
      typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no_stream',
    );
  }
  if (error instanceof StreamDeletedError) return new AppendRefused(stream, 'stream_removed');
  // Our own limits are below the server's, unless somebody lowered those.
  if (error instanceof MaxAppendSizeExceededError) return new AppendRefused(stream, 'append_too_large');
  if (exceptionOf(error) === 'maximum-append-event-size-exceeded') return new AppendRefused(stream, 'event_too_large');
  return undefined;
}
