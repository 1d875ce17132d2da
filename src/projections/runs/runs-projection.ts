import { RUN_STREAM_PREFIX, type RunEvent, runIdOf } from '../../events/run-events.js';
import type { FeedConsumer, FeedEvent, ParkedEvent } from '../../subscriptions/feed-consumer.js';
import { FeedProgress } from '../../subscriptions/feed-progress.js';
import type { RunChanges } from './run-changes.js';
import { evolveRow, type RunRow } from './run-row.js';
import type { RunsTable } from './runs-table.js';

/**
 * Keeps one row for each run, for status and inbox. Rows and checkpoint are written in one transaction; the file can be
 * deleted at any time and is made anew from the log.
 *
 * An event that cannot be taken in leaves its run as it was and is passed over; while the table is being rebuilt it
 * stops the rebuild, because nobody would notice what a rebuilt table lacks.
 */
export class RunsProjection implements FeedConsumer {
  readonly name = 'runs';
  readonly prefixes = [RUN_STREAM_PREFIX];
  readonly #progress: FeedProgress;

  constructor(
    private readonly table: RunsTable,
    private readonly changes: RunChanges,
  ) {
    this.#progress = new FeedProgress(table.database, this.name);
  }

  checkpoint(): bigint {
    return this.#progress.checkpoint();
  }

  begin(): void {
    this.#progress.begin();
  }

  reachedEnd(): void {
    this.#progress.rebuilt();
  }

  apply(events: readonly FeedEvent[], position: bigint): void {
    this.#progress.take(events, position, (unseen) => this.#write(unseen));
    // Also of what another process wrote down first: those who wait here wait for this feed.
    this.changes.announce(new Set(events.map((event) => runIdOf(event.stream))));
  }

  park(event: ParkedEvent): void {
    this.#progress.park(event);
  }

  parked(): ParkedEvent[] {
    return this.#progress.parked();
  }

  parkedStreams(): readonly string[] {
    return this.#progress.parkedStreams();
  }

  replay(stream: string, events: readonly FeedEvent[], upTo: bigint): void {
    this.#progress.replay(stream, events, upTo, (passed) => {
      this.table.delete(runIdOf(stream));
      const row = passed.reduce<RunRow | null>((before, event) => evolveRow(before, asRunEvent(event)), null);
      if (row !== null) this.table.put(row);
    });
    this.changes.announce(new Set([runIdOf(stream)]));
  }

  #write(events: readonly FeedEvent[]): void {
    const rows = new Map<string, RunRow | null>();
    for (const event of events) {
      const runId = runIdOf(event.stream);
      const before = rows.get(runId) ?? this.table.find(runId);
      // A run whose start is parked has no row until that can be read.
      const startIsParked = before === null && this.#progress.parked(event.stream).length > 0;
      if (!startIsParked) rows.set(runId, evolveRow(before, asRunEvent(event)));
    }
    for (const row of rows.values()) if (row !== null) this.table.put(row);
  }
}

/** The codec has checked it, and streams of runs hold nothing else. */
function asRunEvent(event: FeedEvent): RunEvent {
  return event as unknown as RunEvent;
}
