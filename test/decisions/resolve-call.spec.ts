import type { NewRunEvent } from '../../src/events/run-events.js';
import { decideResolveCall, type Verdict } from '../../src/run/decisions/resolve-call.js';
import { nextStep } from '../../src/run/next-step.js';
import {
  approvalDecided,
  callStarted,
  completed,
  eventsOf,
  given,
  givenA,
  modelResponded,
  runClaimed,
  runStarted,
  suspendedForApproval,
} from '../support/run-history.js';

const UNFINISHED: NewRunEvent[] = [
  runStarted(),
  runClaimed(),
  modelResponded([
    { callId: 'c1', toolName: 'refund', disposition: 'approval' },
    { callId: 'c2', toolName: 'look', disposition: 'run' },
  ]),
  suspendedForApproval('c1'),
  approvalDecided(true),
  runClaimed(),
  callStarted('c1', 'non_idempotent_write'),
  runClaimed({ attempt: 1 }),
  { type: 'RunSuspendedForResolution', data: { callId: 'c1', toolName: 'refund' } },
];

function resolve(finding: Verdict, callId = 'c1', events = UNFINISHED) {
  return decideResolveCall(given(...events), { principalId: 'ada', callId, finding, note: 'seen at the bank' });
}

describe('the resolution of an unfinished write', () => {
  it.each<[Verdict, unknown]>([
    [{ verdict: 'executed', result: { reference: 7 } }, { reference: 7 }],
    [{ verdict: 'not_executed' }, null],
  ])('CLM-4 becomes the one result of the call, and the run goes on with the next: %j', (finding, result) => {
    const events = eventsOf(resolve(finding));
    expect(events).toEqual([
      {
        type: 'CallResolved',
        data: { callId: 'c1', verdict: finding.verdict, resolvedBy: 'ada' },
        content: { result, note: 'seen at the bank' },
      },
    ]);
    const run = givenA('running', ...UNFINISHED, ...events, runClaimed());
    expect(nextStep(run, ['look'])).toMatchObject({ kind: 'execute', callId: 'c2' });
  });

  it('LIF-7 settles the run as an uncertain write where nobody can say', () => {
    const events = eventsOf(resolve({ verdict: 'fail' }));
    expect(events.map(({ type }) => type)).toEqual(['CallResolved', 'RunFailed']);
    expect(givenA('failed', ...UNFINISHED, ...events).settlement.reason).toBe('uncertain_write');
  });

  it('refuses the finding about another call, and one for a run that does not wait for it', () => {
    const finding: Verdict = { verdict: 'not_executed' };
    expect(resolve(finding, 'c2')).toMatchObject({ rejection: { code: 'another_call', callId: 'c1' } });
    expect(resolve(finding, 'c1', UNFINISHED.slice(0, 3))).toMatchObject({
      rejection: { code: 'not_awaiting_resolution', status: 'running' },
    });
    expect(resolve(finding, 'c1', [runStarted(), runClaimed(), completed])).toMatchObject({
      rejection: { code: 'run_settled' },
    });
    expect(resolve(finding, 'c1', [])).toMatchObject({ rejection: { code: 'run_not_found' } });
  });
});
