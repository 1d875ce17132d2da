import fc from 'fast-check';
import { evolveRow, isWaitingRow, type RunRow, RunWithoutStart } from '../../src/projections/runs/run-row.js';
import { runView } from '../../src/projections/runs/run-views.js';
import { isSettled, isWaiting, type StartedRun } from '../../src/run/run-state.js';
import { recorded, runClaimed } from '../support/run-history.js';
import { someSteps, states, walk } from '../support/run-walk.js';

/** What the row should say, by the run's own fold. */
function shownOf(state: StartedRun) {
  const waiting = isWaiting(state);
  return {
    status: state.status,
    iterations: state.iterations,
    usage: state.usage,
    updatedAt: state.updatedAt,
    pause: waiting ? pauseOf(state) : undefined,
    outcome: isSettled(state) ? { reason: state.settlement.reason, truncated: state.settlement.truncated } : undefined,
    erased: state.erased.working || state.erased.outcome ? state.erased : undefined,
  };
}

function pauseOf(state: Extract<StartedRun, { status: `waiting_${string}` }>) {
  if (state.status === 'waiting_for_resolution') {
    const { callId, toolName, since } = state;
    return { kind: 'resolution', turnDigest: null, since, requests: [{ callId, toolName }] };
  }
  const { kind, turnDigest, since, requests, released } = state.pause;
  return {
    kind,
    turnDigest,
    since,
    requests: requests.map(({ callId, toolName }) => ({ callId, toolName })),
    ...(released === null ? {} : { released }),
  };
}

describe('The row of a run', () => {
  it('says after every event what the run itself comes to', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        let row: RunRow | null = null;
        for (const { event, state } of states(recorded(walk(steps).flat()))) {
          row = evolveRow(row, event);
          if (state.status === 'not_started') throw new Error('every walk begins with a start');
          const { id, revision, createdAt, ownerId, configurationId, ...shown } = runView(row);
          expect({ pause: undefined, outcome: undefined, erased: undefined, ...shown }).toEqual(shownOf(state));
          expect({ id, revision, createdAt, ownerId, configurationId }).toEqual({
            id: state.runId,
            revision: event.revision,
            createdAt: state.startedAt,
            ownerId: state.ownerId,
            configurationId: state.configurationId,
          });
          expect(isWaitingRow(row)).toBe(isWaiting(state));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('is tried on every type of event, with every status that it can lead to', () => {
    const walks = fc.sample(someSteps, { numRuns: 400, seed: 1 });
    const seen = walks.flatMap((steps) =>
      states(recorded(walk(steps).flat())).map(({ event, state }) => `${event.type} ${state.status}`),
    );
    expect(new Set(seen).size).toBe(21);
  });

  it('keeps the place in the order of waiting through a release', () => {
    const walked = walk([0, 0, 4, 0, 3]).flat();
    const rows: RunRow[] = [];
    for (const event of recorded(walked)) rows.push(evolveRow(rows.at(-1) ?? null, event));
    expect(walked.map((event) => event.type).slice(-2)).toEqual(['InputSubmitted', 'RunReleased']);
    expect(rows.at(-1)?.pause?.position).toBe(rows.at(-3)?.pause?.position);
  });

  it('is not made of a history without its beginning', () => {
    const [claimed] = recorded([runClaimed()]);
    expect(() => evolveRow(null, claimed as never)).toThrow(RunWithoutStart);
  });
});
