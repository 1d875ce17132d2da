import type { DecodedEvent, EventCodec, UnreadableClass } from '../event-store/codec.js';
import { EventUnreadable } from '../event-store/codec.js';
import { DamagedKey } from '../event-store/errors.js';
import type { StoredEvent } from '../event-store/event-store.js';
import type { KeyScope, StreamKeys } from '../event-store/key-store.js';
import { ERASED } from '../event-store/sealing.js';
import { isCorrupt } from '../event-store/sqlite/log-inspection.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import { RUN_STREAM_PREFIX, type RunContentErased, type RunEvent } from '../events/run-events.js';
import { ImpossibleHistory, runFold } from '../run/evolve.js';
import type { RunState } from '../run/run-state.js';
import { openPause, type PauseCorruption } from '../run-content/open-pause.js';
import { DatabaseUnavailable } from '../sqlite/errors.js';
import type { InspectedLog } from './inspected-log.js';

export type FaultClass =
  /** SQLite's own check of a file; the detail is SQLite's. */
  | 'file_damaged'
  /** Pages with events, or the key, of this stream. */
  | 'pages_damaged'
  /** Its events are in the log of a server, and can be read no more: somebody removed it there. */
  | 'stream_removed'
  | 'revision_gap'
  | 'position_order'
  | 'duplicate_id'
  | 'impossible_history'
  | 'key_missing'
  | 'key_damaged'
  /** Of an event that cannot be read. */
  | UnreadableClass
  /** Of the pause of a run that waits. */
  | Exclude<PauseCorruption, 'unreadable_content'>;

export interface Fault {
  /** Null: of a file. */
  readonly stream: string | null;
  readonly revision: number | null;
  readonly fault: FaultClass;
  /** Of ours or SQLite's, never content. */
  readonly detail: string;
}

export interface Counts {
  streams: number;
  runs: number;
  events: number;
  sealsOpened: number;
  /** Seals whose key was destroyed, as the log says it was to be. */
  sealsErased: number;
  /** Turns of waiting runs whose digest came out the same. */
  turnsRecomputed: number;
  /** Keys that the log says are erased and that are still there; a service that runs destroys them. */
  erasuresOutstanding: number;
}

/** Checks one stream after another. What is wrong with one is said of that one; the next is checked all the same. */
export class StreamVerification {
  readonly faults: Fault[] = [];
  readonly counts: Counts = {
    streams: 0,
    runs: 0,
    events: 0,
    sealsOpened: 0,
    sealsErased: 0,
    turnsRecomputed: 0,
    erasuresOutstanding: 0,
  };

  constructor(
    private readonly log: InspectedLog,
    private readonly codec: EventCodec,
  ) {}

  async verify(stream: string): Promise<void> {
    this.counts.streams += 1;
    // Keys first: one that is destroyed from here on was announced by an event that is read below.
    const keys = await this.#keysOf(stream);
    const stored = await this.#eventsOf(stream);
    if (stored === undefined) return;
    if (stored.length === 0) this.fault(stream, null, 'stream_removed', 'it has no events that can be read');
    this.counts.events += stored.length;
    this.#checkOrder(stream, stored);
    const decoded = this.#decoded(stored);
    if (keys !== undefined) this.#openSeals(stream, decoded, keys);
    if (!stream.startsWith(RUN_STREAM_PREFIX)) return;
    this.counts.runs += 1;
    const state = decoded.length === stored.length ? this.#folded(decoded) : undefined;
    if (state !== undefined && keys !== undefined) await this.#recomputeDigest(stream, state, keys);
  }

  fault(stream: string | null, revision: number | null, fault: FaultClass, detail: string): void {
    this.faults.push({ stream, revision, fault, detail });
  }

  async #keysOf(stream: string): Promise<StreamKeys | undefined> {
    try {
      return await this.log.keys(stream);
    } catch (error) {
      if (error instanceof DamagedKey) this.fault(stream, null, 'key_damaged', error.message);
      else if (isCorrupt(error)) this.fault(stream, null, 'pages_damaged', 'the keys of the stream cannot be read');
      else throw error;
      return undefined;
    }
  }

  async #eventsOf(stream: string): Promise<readonly StoredEvent[] | undefined> {
    try {
      return await this.log.events(stream);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.fault(stream, null, 'pages_damaged', 'events of the stream cannot be read');
      return undefined;
    }
  }

  #checkOrder(stream: string, stored: readonly StoredEvent[]): void {
    let expected = 0;
    let position = -1n;
    for (const event of stored) {
      if (event.revision !== expected) {
        this.fault(stream, event.revision, 'revision_gap', `revision ${expected} should be here`);
      }
      if (event.position <= position) {
        this.fault(stream, event.revision, 'position_order', 'it stands before its predecessor in the log');
      }
      const elsewhere = this.log.seenBefore(event.id, stream);
      if (elsewhere !== undefined) {
        this.fault(stream, event.revision, 'duplicate_id', `an event of ${elsewhere} has the same id`);
      }
      expected = event.revision + 1;
      position = event.position;
    }
  }

  #decoded(stored: readonly StoredEvent[]): DecodedEvent[] {
    return stored.flatMap((event) => {
      try {
        return [this.codec.decode(event)];
      } catch (error) {
        this.#unreadable(error);
        return [];
      }
    });
  }

  #openSeals(stream: string, events: readonly DecodedEvent[], keys: StreamKeys): void {
    const erased = erasedScopes(events);
    for (const scope of erased) if (keys[scope] !== undefined) this.counts.erasuresOutstanding += 1;
    for (const event of events) {
      const scope = EVENT_CATALOGUE[event.type]?.sealedWith;
      if (scope === undefined) continue;
      try {
        if (this.codec.open(event, keys) !== ERASED) this.counts.sealsOpened += 1;
        else if (erased.has(scope)) this.counts.sealsErased += 1;
        else
          this.fault(stream, event.revision, 'key_missing', `the ${scope} key is gone, and the log does not say why`);
      } catch (error) {
        this.#unreadable(error);
      }
    }
  }

  #folded(events: readonly DecodedEvent[]): RunState | undefined {
    try {
      return (events as unknown as readonly RunEvent[]).reduce(runFold.evolve, runFold.initialState);
    } catch (error) {
      if (!(error instanceof ImpossibleHistory)) throw error;
      this.fault(events[0]?.stream ?? null, null, 'impossible_history', error.message);
      return undefined;
    }
  }

  async #recomputeDigest(stream: string, state: RunState, keys: StreamKeys): Promise<void> {
    if (state.status !== 'waiting_for_input' && state.status !== 'waiting_for_approval') return;
    const opened = await openPause({ codec: this.codec, keys: { find: async () => keys } as never }, state);
    if (opened.pause === 'sound') {
      this.counts.turnsRecomputed += 1;
      return;
    }
    const { errorClass } = opened;
    // Seals that do not open, and keys that are missing, were reported with their events.
    if (errorClass === 'unreadable_content' || (errorClass === 'content_erased' && !state.erased.working)) return;
    const { revision } = state.pause.suspended;
    this.fault(stream, revision, errorClass, 'nobody can answer this pause');
  }

  #unreadable(error: unknown): void {
    if (!(error instanceof EventUnreadable)) throw error;
    this.fault(error.stream, error.revision, error.unreadable, error.message);
  }
}

function erasedScopes(events: readonly DecodedEvent[]): ReadonlySet<KeyScope> {
  const erasures = (events as unknown as readonly RunEvent[]).filter(({ type }) => type === 'RunContentErased');
  return new Set(erasures.map(({ data }) => (data as RunContentErased['data']).scope));
}
