import { RevisionConflict, StoreUnavailable } from '../errors.js';
import { BEGINNING, type StoredEvent } from '../event-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import { MasterKeys } from '../master-keys.js';
import {
  KeyStreams,
  keptAt,
  keyKept,
  keysRewrapped,
  masterKeyChangeBegun,
  masterKeyMarked,
  rewrappedUpTo,
  wrappedIn,
} from './key-streams.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import { KurrentDbEventStore } from './kurrentdb-event-store.js';
import { appendUnlessOvertaken, markMasterKey, marksOf } from './master-key-marks.js';
import { rewrapServiceKeys } from './service-keys.js';
import { truncateBefore } from './stream-removal.js';

/** How many keys are wrapped anew at the same time. */
const AT_ONCE = 16;

/** How often a key is tried that others write to. */
const MAX_ATTEMPTS = 10;

/** After how long a silence the feed looks whether there is more, in milliseconds. */
const QUIET_MS = 1_000;

export interface MasterKeyChangeOptions {
  readonly connection: KurrentDbConnection;
  readonly inUse: MasterKey;
  readonly next: MasterKey;
  /** Stands in front of the names of the key store's streams. Default none. */
  readonly prefix?: string;
  /** Told after each part of the log. */
  readonly onProgress?: (rewrapped: number) => void;
}

export interface MasterKeyChanged {
  /** Keys that were wrapped anew by this call. */
  readonly rewrapped: number;
  /** Keys that neither master key unwraps, by the streams they are kept in. They are left as they are. */
  readonly damaged: readonly string[];
}

/**
 * Wraps every key anew with the next master key, while nodes that have been given both go on. What is done is remembered
 * in the log, so a change that was stopped is taken up where it was. Its steps: a mark, from which on nodes wrap with the
 * next key; every key that the log has; the keys of the service; the mark that the next key is the one in use; and once more
 * whatever came since the first pass began to end, from nodes that had not seen the first mark yet.
 *
 * @throws {StoreUnavailable} call it again.
 * @throws {MasterKeyUnusable} the key in use is not the log's, or a change to another key is under way.
 */
export async function changeMasterKey(options: MasterKeyChangeOptions): Promise<MasterKeyChanged> {
  return new MasterKeyChange(options).run();
}

class MasterKeyChange {
  readonly #log: KurrentDbEventStore;
  readonly #streams: KeyStreams;
  readonly #both: MasterKeys;
  readonly #damaged = new Set<string>();
  #rewrapped = 0;

  constructor(private readonly options: MasterKeyChangeOptions) {
    this.#log = new KurrentDbEventStore({ connection: options.connection, quietMs: QUIET_MS });
    this.#streams = new KeyStreams(options.prefix ?? '');
    this.#both = new MasterKeys(() => [options.inUse, options.next]);
  }

  async run(): Promise<MasterKeyChanged> {
    const isDone = await this.#begin();
    await this.#rewrapAll();
    if (!isDone) {
      await rewrapServiceKeys(this.#log, this.#streams, this.#both, this.options.next);
      await this.#finish();
      await this.#rewrapAll();
    }
    return { rewrapped: this.#rewrapped, damaged: [...this.#damaged].sort() };
  }

  /** @returns true after a change that ended with its mark, and perhaps not with what came behind that. */
  async #begin(): Promise<boolean> {
    const { next } = this.options;
    await markMasterKey(this.#log, this.#streams, this.#both, false);
    const marks = await this.#marks();
    if (marks.inUse.equals(next.checkValue)) return true;
    if (marks.next === undefined) {
      await this.#log.append(this.#streams.masterKey, marks.revision, [masterKeyChangeBegun(next.checkValue)]);
    } else if (!marks.next.equals(next.checkValue)) {
      throw new MasterKeyUnusable(
        'wrong',
        'The master key is being changed to another key than this one. Finish that change with its own next key first.',
      );
    }
    return false;
  }

  async #finish(): Promise<void> {
    const { revision } = await this.#marks();
    await this.#log.append(this.#streams.masterKey, revision, [masterKeyMarked(this.options.next.checkValue)]);
  }

  async #marks() {
    const marks = await marksOf(this.#log, this.#streams);
    if (marks === undefined) throw new StoreUnavailable('the mark of the master key is gone', false);
    return marks;
  }

  /** Every key from where the last pass ended. What it appends comes to it once more, and needs nothing then. */
  async #rewrapAll(): Promise<void> {
    const { checkValue } = this.options.next;
    const after = rewrappedUpTo(await this.#log.read(this.#streams.change), checkValue) ?? BEGINNING;
    const prefixes = [this.#streams.prefixOf('working'), this.#streams.prefixOf('outcome')];
    const { signal } = new AbortController();
    for await (const batch of this.#log.subscribe({ after, prefixes, signal })) {
      const streams = new Set(batch.events.filter((event) => this.#isOld(event)).map(({ stream }) => stream));
      await this.#rewrapEach([...streams]);
      await this.#remember(batch.position);
      this.options.onProgress?.(this.#rewrapped);
      if (batch.caughtUp && streams.size === 0) return;
    }
  }

  /** Whether an event has a key that the next master key does not unwrap. */
  #isOld(event: StoredEvent): boolean {
    const wrapped = wrappedIn([event]);
    return wrapped !== undefined && this.#unwrappedBy(this.options.next, event.stream, wrapped) === undefined;
  }

  async #rewrapEach(keyStreams: readonly string[]): Promise<void> {
    for (let start = 0; start < keyStreams.length; start += AT_ONCE) {
      await Promise.all(keyStreams.slice(start, start + AT_ONCE).map((keyStream) => this.#rewrap(keyStream)));
    }
  }

  /** One that was destroyed has no events any more, and one that somebody asked for at the same moment is read again. */
  async #rewrap(keyStream: string): Promise<void> {
    const { inUse, next, connection } = this.options;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const events = await this.#log.read(keyStream);
      const [wrapped, last] = [wrappedIn(events), events[events.length - 1]];
      if (wrapped === undefined || last === undefined) return;
      if (this.#unwrappedBy(next, keyStream, wrapped) !== undefined) return;
      const secret = this.#unwrappedBy(inUse, keyStream, wrapped);
      if (secret === undefined) {
        this.#damaged.add(keyStream);
        return;
      }
      const again = keyKept(next.wrap(secret, this.#streams.keyIdOf(keyStream)), keptAt(last) ?? 0);
      const told = await appendUnlessOvertaken(this.#log, keyStream, last.revision, [again]);
      if (told === 'destroyed') return;
      if (told === 'overtaken') continue;
      // What the old master key wrapped can be read no more, and leaves the disk when the server is scavenged.
      await truncateBefore(connection, keyStream, last.revision + 1);
      this.#rewrapped += 1;
      return;
    }
    throw new StoreUnavailable(`${keyStream} is written to too often`, false);
  }

  #unwrappedBy(masterKey: MasterKey, keyStream: string, wrapped: Buffer): Buffer | undefined {
    try {
      return masterKey.unwrap(wrapped, this.#streams.keyIdOf(keyStream));
    } catch {
      return undefined;
    }
  }

  async #remember(position: bigint): Promise<void> {
    const { checkValue } = this.options.next;
    const events = await this.#log.read(this.#streams.change);
    if ((rewrappedUpTo(events, checkValue) ?? BEGINNING) >= position) return;
    const last = events[events.length - 1];
    try {
      await this.#log.append(this.#streams.change, last?.revision ?? 'no_stream', [
        keysRewrapped(checkValue, position),
      ]);
    } catch (error) {
      // Another operator gave the same command at the same time and remembers for both.
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
}
