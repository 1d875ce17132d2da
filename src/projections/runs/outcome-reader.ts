import { ERASED } from '../../event-store/sealing.js';
import type { Streams } from '../../event-store/streams.js';
import { type RunCompleted, runStream } from '../../events/run-events.js';
import type { RunRow } from './run-row.js';
import { type OutcomeView, type RunView, runView } from './run-views.js';

/** Adds the final answer to the view of a run, opened from the one event that holds it. */
export class OutcomeReader {
  constructor(private readonly streams: Pick<Streams, 'store' | 'codec' | 'keys'>) {}

  /** @throws {StoreUnavailable} @throws {EventUnreadable} the final answer is damaged. */
  async whole(row: RunRow): Promise<RunView> {
    const view = runView(row);
    const revision = row.settlement?.completedRevision ?? null;
    if (view.outcome === undefined || revision === null) return view;
    return { ...view, outcome: { ...view.outcome, ...(await this.answer(row, revision)) } };
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
