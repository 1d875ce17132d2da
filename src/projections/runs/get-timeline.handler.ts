import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type EventCodec, EventUnreadable } from '../../event-store/codec.js';
import type { StoredEvent } from '../../event-store/event-store.js';
import { Streams } from '../../event-store/streams.js';
import { runStream } from '../../events/run-events.js';
import { GetTimeline, type TimelineEntry } from './get-timeline.query.js';
import { RunChanges } from './run-changes.js';
import { RunFinder } from './run-finder.js';

@QueryHandler(GetTimeline)
export class GetTimelineHandler implements IQueryHandler<GetTimeline> {
  constructor(
    private readonly runs: RunFinder,
    private readonly changes: RunChanges,
    private readonly streams: Streams,
  ) {}

  async execute({ principal, runId, options }: GetTimeline): Promise<readonly TimelineEntry[] | null> {
    const { after = -1, limit = Number.POSITIVE_INFINITY, waitMs = 0, signal } = options;
    const row = await this.runs.find(principal, runId, { signal });
    if (row === null) return null;
    if (waitMs > 0 && (this.runs.look(principal, runId)?.revision ?? -1) <= after) {
      await this.changes.next(runId, { timeoutMs: waitMs, signal });
      if (this.runs.look(principal, runId) === null) return null;
    }
    const { store, codec } = this.streams;
    const stored = await store.read(runStream(runId), after + 1);
    return stored.slice(0, limit).map((event) => timelineEntry(codec, event));
  }
}

/** Keyed digests recognise a repeated request; they say nothing to readers, and are nobody's business. */
const NOT_SHOWN = new Set(['requestMac', 'answerMac']);

function timelineEntry(codec: Pick<EventCodec, 'decode'>, stored: StoredEvent): TimelineEntry {
  const place = { sequence: stored.revision, type: stored.type };
  try {
    const { data, at, actor } = codec.decode(stored);
    const clearFields = Object.entries(data).filter(([name]) => !NOT_SHOWN.has(name));
    return { ...Object.fromEntries(clearFields), ...place, at, actor };
  } catch (error) {
    // What cannot be read is shown as such: this is where an operator looks for what is wrong with a run.
    if (error instanceof EventUnreadable) return { ...place, at: null, unreadable: error.unreadable };
    throw error;
  }
}
