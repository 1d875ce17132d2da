import { RevisionConflict } from '../errors.js';
import { BEGINNING, type StoredEvent } from '../event-store.js';
import { KEY_SCOPES } from '../key-store.js';
import { type KeyStreams, keptAt, orphansSwept, sweptUpTo } from './key-streams.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';
import type { KurrentDbEventStore } from './kurrentdb-event-store.js';
import { lastOf } from './log-reads.js';
import { removeUnchanged } from './stream-removal.js';

/** How many streams are judged at the same time. */
const AT_ONCE = 16;

/**
 * Looks through the log for keys whose stream never came to be. How far it got is in a stream of its own, so that no
 * node looks again at what one of them has judged.
 */
export class OrphanSweep {
  constructor(
    private readonly connection: KurrentDbConnection,
    private readonly log: KurrentDbEventStore,
    private readonly streams: KeyStreams,
    /** Epoch milliseconds. */
    private readonly madeBefore: number,
    private readonly isUsed: (stream: string) => Promise<boolean>,
  ) {}

  /** @returns how many streams lost their keys. @throws {StoreUnavailable} */
  async run(): Promise<number> {
    const mark = await lastOf(this.connection, this.streams.sweep);
    let position = mark === undefined ? BEGINNING : sweptUpTo(mark);
    let judged = 0;
    let swept = 0;
    const prefixes = [this.streams.prefixOf('working')];
    const { signal } = new AbortController();
    for await (const batch of this.log.subscribe({ after: position, prefixes, signal })) {
      const young = batch.events.findIndex((event) => (keptAt(event) ?? 0) >= this.madeBefore);
      const old = young === -1 ? batch.events : batch.events.slice(0, young);
      swept += await this.#sweep(old);
      judged += old.length;
      position = young === -1 ? batch.position : (old[old.length - 1]?.position ?? position);
      if (young !== -1 || batch.caughtUp) break;
    }
    if (judged > 0) await this.#remember(position, mark);
    return swept;
  }

  async #sweep(events: readonly StoredEvent[]): Promise<number> {
    const kept = events.filter((event) => keptAt(event) !== undefined);
    const owners = [...new Set(kept.map(({ stream }) => this.streams.ownerOf(stream)))];
    let swept = 0;
    for (let start = 0; start < owners.length; start += AT_ONCE) {
      const some = owners.slice(start, start + AT_ONCE);
      const verdicts = await Promise.all(some.map((owner) => this.#removeOrphaned(owner)));
      swept += verdicts.filter(Boolean).length;
    }
    return swept;
  }

  /** Each removal expects the revision that was judged, so a key that somebody asked for meanwhile stays. */
  async #removeOrphaned(owner: string): Promise<boolean> {
    const keys = await Promise.all(KEY_SCOPES.map((scope) => this.log.read(this.streams.of(owner, scope))));
    const times = keys.flat().map((event) => keptAt(event) ?? 0);
    if (times.length === 0 || Math.max(...times) >= this.madeBefore || (await this.isUsed(owner))) return false;
    for (const events of keys) {
      const last = events[events.length - 1];
      if (last !== undefined && !(await removeUnchanged(this.connection, last.stream, last.revision))) return false;
    }
    return true;
  }

  async #remember(position: bigint, mark: StoredEvent | undefined): Promise<void> {
    try {
      await this.log.append(this.streams.sweep, mark?.revision ?? 'no_stream', [orphansSwept(position)]);
    } catch (error) {
      // Another node swept at the same time and remembers for both.
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
}
