import { ERASED } from '../../event-store/sealing.js';
import type { Streams } from '../../event-store/streams.js';
import { type RunCompleted, runStream } from '../../events/run-events.js';
import type { RunRow } from './run-row.js';
import { MOST_AHEAD, type OutcomeView, type QueueView, type RunView, runView } from './run-views.js';
import type { RunsTable } from './runs-table.js';

/**
 * Adds to the view of a run what is looked up for one run at a time: its final answer, opened from the one event that
 * holds it, or its place in the queue.
 */
export class OutcomeReader {
  constructor(
    private readonly streams: Pick<Streams, 'store' | 'codec' | 'keys'>,
    private readonly table: Pick<RunsTable, 'countAhead'>,
  ) {}

  /** @throws {StoreUnavailable} @throws {EventUnreadable} the final answer is damaged. */
  async whole(row: RunRow): Promise<RunView> {
    const view = row.dueAt === null ? runView(row) : { ...runView(row), queue: this.queue(row, row.dueAt) };
    const revision = row.settlement?.completedRevision ?? null;
    if (view.outcome === undefined || revision === null) return view;
    return { ...view, outcome: { ...view.outcome, ...(await this.answer(row, revision)) } };
  }

  private queue(row: RunRow, dueAt: string): QueueView {
    const ahead = this.table.countAhead(row, MOST_AHEAD);
    return { ahead, ...(dueAt > row.updatedAt ? { notBefore: dueAt } : {}) };
  }

  private async answer(row: RunRow, revision: number): Promise<Pick<OutcomeView, 'content' | 'contentErased'>> {
    if (row.erased.outcome) return { contentErased: true };
    const stream = runStream(row.runId);
    const { store, codec, keys } = this.streams;
    // From the completing event on there is little: the run is settled.
    const [[stored], streamKeys] = await Promise.all([store.read(stream, revision), keys.find(stream)]);
    if (stored === undefined) throw new Error(`${stream} has no event ${revision}`);
    const content = codec.open(codec.decode(stored), streamKeys);
    return content === ERASED ? { contentErased: true } : { content: (content as RunCompleted['content']).text };
  }
}
