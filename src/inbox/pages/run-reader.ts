import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Principal } from '../../governance/principal.js';
import { GetPause } from '../../projections/runs/get-pause.query.js';
import { GetRun } from '../../projections/runs/get-run.query.js';
import { GetTimeline } from '../../projections/runs/get-timeline.query.js';
import type { Draft } from '../form/draft.js';
import { requestForms } from '../form/form-view.js';
import type { RunPageContent } from './run-page.js';

/** Steps that are shown of one run. */
const MOST_STEPS = 1_000;

/** Reads a run with all that its page shows. */
@Injectable()
export class RunReader {
  constructor(private readonly queries: QueryBus) {}

  /** Null for a run that does not exist, or not for this person. @throws {StoreUnavailable} */
  async read(caller: Principal, runId: string, draft?: Draft): Promise<RunPageContent | null> {
    const run = await this.queries.execute(new GetRun(caller, runId));
    if (run === null) return null;
    const [pause, timeline] = await Promise.all([
      run.pause === undefined ? null : this.queries.execute(new GetPause(caller, runId)),
      this.queries.execute(new GetTimeline(caller, runId, { limit: MOST_STEPS })),
    ]);
    const isInput = pause?.outcome === 'found' && pause.pause.kind === 'input';
    return {
      run,
      pause: pause?.outcome === 'no_pause' ? null : pause,
      timeline: timeline ?? [],
      forms: isInput ? requestForms(pause.pause, draft) : [],
      notice: null,
      input: null,
      approval: { comment: draft?.get('comment')?.at(-1) ?? '' },
      resolution: { verdict: '', result: '', note: '', faults: [] },
    };
  }
}
