import { Injectable } from '@nestjs/common';
import type { Loaded } from '../event-store/loaded.js';
import { next, Streams } from '../event-store/streams.js';
import type { Fold } from '../events/decider.js';
import type { AnyEventType } from '../events/event.js';

/** How one kind of governance record is kept: where its streams are, and what their events come to. */
export interface RecordKind<State, E extends AnyEventType> {
  readonly streamPrefix: string;
  readonly fold: Fold<State, E>;
  /** How many records of this kind are remembered: the larger one can be, the fewer. */
  readonly mostRemembered: number;
}

const RECORD_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether a record can have this id at all. Others are looked up by nobody, so that they never reach the store. */
export function isRecordId(id: string): boolean {
  return RECORD_ID.test(id);
}

export function recordStream<State, E extends AnyEventType>(kind: RecordKind<State, E>, id: string): string {
  return kind.streamPrefix + id;
}

/** A record as it stands; `revision` is that of its stream. */
export type ReadRecord<State, E extends AnyEventType> = Omit<Loaded<State, E>, 'events'>;

/**
 * Reads governance records from their own streams, never from a projection: a permission that was taken away counts
 * with the next question. What was folded is remembered, so that asking again reads only what is new.
 */
@Injectable()
export class RecordReader {
  /** By kind and stream, in the order of last use, the oldest first. */
  private readonly remembered = new Map<string, Map<string, ReadRecord<unknown, AnyEventType>>>();

  constructor(private readonly streams: Streams) {}

  /**
   * A record nobody has put yet is its kind's initial state.
   *
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async read<State, E extends AnyEventType>(kind: RecordKind<State, E>, id: string): Promise<ReadRecord<State, E>> {
    const stream = recordStream(kind, id);
    const nothing: ReadRecord<State, E> = { stream, state: kind.fold.initialState, revision: 'no_stream' };
    if (!isRecordId(id)) return nothing;
    // One stream is only ever read as one kind: the prefix is part of its name.
    const known = this.rememberedOf(kind).get(stream) as ReadRecord<State, E> | undefined;
    const { state, revision } = await this.streams.loadAfter(kind.fold, { ...(known ?? nothing), events: [] });
    const read = { stream, state, revision };
    this.remember(kind, read);
    return read;
  }

  private remember<State, E extends AnyEventType>(kind: RecordKind<State, E>, read: ReadRecord<State, E>): void {
    // Ids that were made up would push out records that are in use.
    if (read.revision === 'no_stream') return;
    const remembered = this.rememberedOf(kind);
    const known = remembered.get(read.stream);
    remembered.delete(read.stream);
    // Of two readers at once the slower one may come with the older state.
    const newer = known === undefined || next(known.revision) <= next(read.revision) ? read : known;
    remembered.set(read.stream, newer);
    if (remembered.size <= kind.mostRemembered) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
  }

  private rememberedOf({
    streamPrefix,
  }: {
    readonly streamPrefix: string;
  }): Map<string, ReadRecord<unknown, AnyEventType>> {
    const known = this.remembered.get(streamPrefix) ?? new Map();
    this.remembered.set(streamPrefix, known);
    return known;
  }
}
