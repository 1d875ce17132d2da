import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EventUnreadable } from '../../event-store/codec.js';
import type { Loaded } from '../../event-store/loaded.js';
import { Streams } from '../../event-store/streams.js';
import { type RunEventType, runStream } from '../../events/run-events.js';
import { reaches } from '../../governance/access.js';
import type { Principal } from '../../governance/principal.js';
import { ToolCatalogue } from '../../governance/tool-catalogue.js';
import { toolsOfTurn } from '../../governance/turn-gate.js';
import { ImpossibleHistory, runFold } from '../../run/evolve.js';
import { isWaiting, type RunState, type StartedRun } from '../../run/run-state.js';
import { openPause } from '../../run-content/open-pause.js';
import { openResolution } from '../../run-content/open-resolution.js';
import { GetPause, type PauseFound } from './get-pause.query.js';
import { pauseView, resolutionView } from './pause-view.js';
import { RunFinder } from './run-finder.js';

const NO_PAUSE: PauseFound = { outcome: 'no_pause' };
const UNREADABLE: PauseFound = { outcome: 'corrupt', errorClass: 'unreadable_content' };

@QueryHandler(GetPause)
export class GetPauseHandler implements IQueryHandler<GetPause> {
  constructor(
    private readonly runs: RunFinder,
    private readonly streams: Streams,
    private readonly tools: ToolCatalogue,
  ) {}

  async execute({ principal, runId }: GetPause): Promise<PauseFound | null> {
    const row = await this.runs.find(principal, runId);
    // Known by now to be theirs to read: whether they may answer it tells them nothing of other people's runs.
    if (row === null || !reaches(principal, 'answer', { ownerId: row.ownerId, waiting: false })) return null;
    let run: Loaded<RunState, RunEventType>;
    try {
      run = await this.streams.load(runFold, runStream(runId));
    } catch (error) {
      if (error instanceof EventUnreadable || error instanceof ImpossibleHistory) return UNREADABLE;
      throw error;
    }
    const { state, events } = run;
    return state.status === 'not_started' || !mayRead(principal, state) ? null : this.open(state, events);
  }

  private async open(run: StartedRun, events: Loaded<RunState, RunEventType>['events']): Promise<PauseFound> {
    if (!isWaiting(run)) return NO_PAUSE;
    if (run.status === 'waiting_for_resolution') {
      const opened = await openResolution(this.streams, run, events);
      if (opened.pause === 'corrupt') return { outcome: 'corrupt', errorClass: opened.errorClass };
      return { outcome: 'found', pause: resolutionView(run, opened) };
    }
    const opened = await openPause(this.streams, run);
    if (opened.pause === 'corrupt') return { outcome: 'corrupt', errorClass: opened.errorClass };
    // The gates go by the tools as they are (SUB-2, SUB-3): whoever is asked learns here what would refuse them.
    const turn = { calls: run.turn?.calls ?? [], requests: run.pause.requests };
    const missing = toolsOfTurn(turn).filter((name) => !this.tools.has(name));
    return { outcome: 'found', pause: pauseView(run, opened, missing) };
  }
}

/** Asked again of the run as it is: it may have gone on since the rows were written. */
function mayRead(principal: Principal, run: StartedRun): boolean {
  return reaches(principal, 'read', { ownerId: run.ownerId, waiting: isWaiting(run) });
}
