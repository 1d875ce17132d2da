import { randomUUID } from 'node:crypto';
import type { Journal } from './journal.js';
import type { LogRecord, ProposedEvent } from './records.js';

export type Expected = 'any' | 'no_stream' | 'stream_exists' | number;

export type WriteOutcome =
  | { readonly outcome: 'written' | 'repeated'; readonly revision: number; readonly position: bigint }
  | { readonly outcome: 'wrong_revision'; readonly current: number | 'no_stream' }
  | { readonly outcome: 'deleted' };

export type StreamRead = { readonly outcome: 'not_found' | 'deleted' } | { readonly records: readonly LogRecord[] };

interface StreamState {
  /** All records, those before a deletion too: revisions go on, and ids are compared with theirs. */
  readonly records: LogRecord[];
  /** First revision that can still be read; {@link SOFT_DELETED} when none can. */
  truncateBefore: number;
  tombstoned: boolean;
}

type Decision =
  | { readonly outcome: 'write' }
  | { readonly outcome: 'repeated'; readonly last: LogRecord }
  | { readonly outcome: 'wrong_revision' | 'deleted' };

const SOFT_DELETED = Number.POSITIVE_INFINITY;
/** How a soft deletion looks in a stream's metadata. */
const TRUNCATE_ALL = '{"$tb":9223372036854775807}';
const FIRST_POSITION = 2_048n;
const RECORD_OVERHEAD = 64;
const NOTHING = new Uint8Array();

/**
 * What a server does with appends, deletions and reads, without the wire. A restart with the same journal knows
 * all of it again, save for the cache that repeats with `any` are recognised by.
 */
export class EventLog {
  readonly #streams = new Map<string, StreamState>();
  readonly #all: LogRecord[] = [];
  readonly #listeners = new Set<(records: readonly LogRecord[]) => void>();
  readonly #committed = new Map<string, LogRecord>();
  #end = FIRST_POSITION;

  constructor(private readonly journal?: Journal) {
    for (const records of journal?.load() ?? []) for (const record of records) this.#take(record);
  }

  /** Every record, in order of position. */
  get records(): readonly LogRecord[] {
    return this.#all;
  }

  get lastPosition(): bigint {
    return this.#all[this.#all.length - 1]?.position ?? -1n;
  }

  /** Tells of everything that is written from now on, until the function that it returns is called. */
  onWritten(listener: (records: readonly LogRecord[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): WriteOutcome {
    const ids = events.map((event) => event.id);
    const decision = this.#decide(stream, expected, ids);
    if (decision.outcome === 'repeated') return { ...decision.last, outcome: 'repeated' };
    if (decision.outcome !== 'write') return this.#refusal(stream, decision.outcome);
    const first = this.#current(stream) + 1;
    const revival = this.#isSoftDeleted(stream) ? [this.#metadata(stream, `{"$tb":${first}}`)] : [];
    const written = events.map((event, index) => ({ ...event, stream, revision: first + index }));
    const records = this.#write([...revival, ...written]);
    for (const record of records) this.#committed.set(record.id, record);
    const last = records[records.length - 1] as LogRecord;
    return { outcome: 'written', revision: first + events.length - 1, position: last.position };
  }

  /** Soft: the stream reads as not found and can begin again, its revisions going on. */
  delete(stream: string, expected: Expected): WriteOutcome {
    const decision = this.#decide(stream, expected, [randomUUID()]);
    if (decision.outcome !== 'write') return this.#refusal(stream, decision.outcome);
    const [record] = this.#write([this.#metadata(stream, TRUNCATE_ALL)]);
    return { outcome: 'written', revision: this.#current(stream), position: (record as LogRecord).position };
  }

  /** For ever: the stream can neither be read nor begin again. */
  tombstone(stream: string, expected: Expected): WriteOutcome {
    const decision = this.#decide(stream, expected, [randomUUID()]);
    if (decision.outcome !== 'write') return this.#refusal(stream, decision.outcome);
    const revision = this.#current(stream) + 1;
    const event = { id: randomUUID(), type: '$streamDeleted', json: true, data: NOTHING, metadata: NOTHING };
    const [record] = this.#write([{ ...event, stream, revision }]);
    return { outcome: 'written', revision, position: (record as LogRecord).position };
  }

  /** @param from a revision, inclusive in both directions. */
  readStream(stream: string, from: number | 'end', backwards: boolean, count: number): StreamRead {
    const state = this.#streams.get(stream);
    if (state?.tombstoned) return { outcome: 'deleted' };
    if (state === undefined || state.records.length <= state.truncateBefore) return { outcome: 'not_found' };
    const readable = state.records.slice(state.truncateBefore);
    if (!backwards) {
      const start = from === 'end' ? Number.POSITIVE_INFINITY : from;
      return { records: readable.filter((record) => record.revision >= start).slice(0, count) };
    }
    const start = from === 'end' ? Number.POSITIVE_INFINITY : from;
    return {
      records: readable
        .filter((record) => record.revision <= start)
        .reverse()
        .slice(0, count),
    };
  }

  /** @param from a position: inclusive forwards, exclusive backwards. */
  readAll(from: bigint | 'start' | 'end', backwards: boolean, count: number): readonly LogRecord[] {
    const border = from === 'start' ? -1n : from === 'end' ? this.#end : from;
    const index = this.indexBehind(border - 1n);
    if (!backwards) return this.#all.slice(index, index + count);
    return this.#all.slice(Math.max(0, index - count), index).reverse();
  }

  /** Index of the first record behind the position. */
  indexBehind(position: bigint): number {
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#all[middle] as LogRecord).position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a record begins there, which is what a position has to be. */
  isPosition(position: bigint): boolean {
    return this.#all[this.indexBehind(position) - 1]?.position === position;
  }

  /** Whether an append is new, a repeat of an earlier one, or neither; in the order in which a server asks. */
  #decide(stream: string, expected: Expected, ids: readonly string[]): Decision {
    const state = this.#streams.get(stream);
    if (state === undefined) {
      return { outcome: expected === 'any' || expected === 'no_stream' ? 'write' : 'wrong_revision' };
    }
    if (state.tombstoned) return { outcome: 'deleted' };
    if (expected === 'stream_exists' && this.#isSoftDeleted(stream)) return { outcome: 'deleted' };
    if (expected === 'any' || expected === 'stream_exists') return this.#decideFromCache(stream, ids);
    const revision = expected === 'no_stream' ? -1 : expected;
    const current = this.#current(stream);
    if (revision > current) return { outcome: 'wrong_revision' };
    if (revision === current) return { outcome: 'write' };
    const stored = ids.map((_, index) => state.records[revision + 1 + index]);
    if (stored[0]?.id !== ids[0]) {
      return { outcome: expected === 'no_stream' && this.#isSoftDeleted(stream) ? 'write' : 'wrong_revision' };
    }
    const last = stored[stored.length - 1];
    if (last === undefined || !ids.every((id, index) => stored[index]?.id === id)) return { outcome: 'wrong_revision' };
    return { outcome: 'repeated', last };
  }

  #decideFromCache(stream: string, ids: readonly string[]): Decision {
    const known = ids
      .map((id) => this.#committed.get(id))
      .map((record) => (record?.stream === stream ? record : undefined));
    if (known[0] === undefined) return { outcome: 'write' };
    const last = known[known.length - 1];
    return last === undefined || known.includes(undefined)
      ? { outcome: 'wrong_revision' }
      : { outcome: 'repeated', last };
  }

  #refusal(stream: string, outcome: 'wrong_revision' | 'deleted' | 'repeated'): WriteOutcome {
    if (outcome === 'deleted') return { outcome };
    const current = this.#current(stream);
    return { outcome: 'wrong_revision', current: current === -1 ? 'no_stream' : current };
  }

  #current(stream: string): number {
    return (this.#streams.get(stream)?.records.length ?? 0) - 1;
  }

  #isSoftDeleted(stream: string): boolean {
    return this.#streams.get(stream)?.truncateBefore === SOFT_DELETED;
  }

  #metadata(stream: string, json: string): Omit<LogRecord, 'position'> {
    const metadataStream = `$$${stream}`;
    const revision = this.#current(metadataStream) + 1;
    const data = new TextEncoder().encode(json);
    return {
      id: randomUUID(),
      type: '$metadata',
      json: true,
      data,
      metadata: NOTHING,
      stream: metadataStream,
      revision,
    };
  }

  /** All of it or, where the journal fails, none. */
  #write(written: readonly Omit<LogRecord, 'position'>[]): readonly LogRecord[] {
    let position = this.#end;
    const records = written.map((record) => {
      const placed = { ...record, position };
      position = endOf(placed);
      return placed;
    });
    this.journal?.append(records);
    for (const record of records) this.#take(record);
    for (const listener of [...this.#listeners]) listener(records);
    return records;
  }

  #take(record: LogRecord): void {
    this.#all.push(record);
    this.#end = endOf(record);
    const state = this.#state(record.stream);
    if (record.type === '$streamDeleted') state.tombstoned = true;
    else state.records.push(record);
    if (record.type !== '$metadata') return;
    const json = new TextDecoder().decode(record.data);
    this.#state(record.stream.slice(2)).truncateBefore = json === TRUNCATE_ALL ? SOFT_DELETED : JSON.parse(json).$tb;
  }

  #state(stream: string): StreamState {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const fresh: StreamState = { records: [], truncateBefore: 0, tombstoned: false };
    this.#streams.set(stream, fresh);
    return fresh;
  }
}

/** Positions are places in a file: they grow by what was written, hence with gaps. */
function endOf({ position, data, metadata, type }: LogRecord): bigint {
  return position + BigInt(RECORD_OVERHEAD + data.length + metadata.length + type.length);
}
