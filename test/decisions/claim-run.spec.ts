import { type ClaimFacts, decideClaimRun, MOST_ATTEMPTS } from '../../src/run/decisions/claim-run.js';
import {
  at,
  callStarted,
  completed,
  EPOCH_MS,
  eventsOf,
  given,
  inputSubmitted,
  modelResponded,
  runClaimed,
  runStarted,
  waitingForInput,
} from '../support/run-history.js';

const HOUR_MS = 3_600_000;

function facts(changed: Partial<ClaimFacts> = {}): ClaimFacts {
  return {
    nowMs: EPOCH_MS + HOUR_MS,
    claimId: 'claim-2',
    workerId: 'w2',
    leaseExpiresAt: '2030-01-01T01:01:00.000Z',
    configurationExists: true,
    pause: 'sound',
    objection: null,
    ...changed,
  };
}

const answered = [...waitingForInput('c1'), inputSubmitted()];
const withStartedCall = [...answered, runClaimed(), callStarted('c1', 'idempotent_write')];

describe('a claim', () => {
  it('CLM-1 is exactly one event with the claim id it was given', () => {
    expect(eventsOf(decideClaimRun(given(runStarted()), facts()))).toEqual([
      {
        type: 'RunClaimed',
        data: { claimId: 'claim-2', workerId: 'w2', leaseExpiresAt: '2030-01-01T01:01:00.000Z', attempt: 0 },
      },
    ]);
  });

  it.each([
    ['was never started', given()],
    ['INP-13 waits for a person', given(...waitingForInput('c1'))],
    ['LIF-1 has settled', given(runStarted(), runClaimed(), completed)],
    ['CLM-2 is worked on under a live lease', given(runStarted(), runClaimed({ leaseExpiresAt: at(7_200) }))],
    [
      'CLM-5 backs off',
      given(runStarted(), runClaimed(), {
        type: 'RunRequeued',
        data: { reason: 'timeout', attempt: 1, notBefore: at(7_200) },
      }),
    ],
  ])('does nothing for a run that %s', (_what, state) => {
    expect(decideClaimRun(state, facts())).toEqual({ outcome: 'nothing_to_do', reply: 'not_claimable' });
  });

  it('CLM-3 takes a run over when its lease has run out, at the cost of one attempt', () => {
    const [event] = eventsOf(decideClaimRun(given(runStarted(), runClaimed()), facts()));
    expect(event).toMatchObject({ type: 'RunClaimed', data: { attempt: 1 } });
  });

  describe('by a clock that was set back by hours since', () => {
    const setBack = facts({ nowMs: EPOCH_MS - 5 * HOUR_MS });
    const requeued = { reason: 'timeout', attempt: 1, notBefore: at(60) } as const;

    it('CLM-3 takes over a run whose lease would last for hours, at the cost of one attempt', () => {
      const [event] = eventsOf(decideClaimRun(given(runStarted(), runClaimed()), setBack));
      expect(event).toMatchObject({ type: 'RunClaimed', data: { attempt: 1 } });
    });

    it('CLM-5 tries a run again that would back off for hours', () => {
      const state = given(runStarted(), runClaimed(), { type: 'RunRequeued', data: requeued });
      expect(eventsOf(decideClaimRun(state, setBack))).toMatchObject([{ type: 'RunClaimed', data: { attempt: 1 } }]);
    });

    it('LIF-1 takes a run that was started at a time that is still to come', () => {
      expect(eventsOf(decideClaimRun(given(runStarted()), setBack))).toMatchObject([{ type: 'RunClaimed' }]);
    });

    it('CLM-2 leaves a lease to its worker that is no more than clocks may be apart ahead', () => {
      const state = given(runStarted(), runClaimed({ leaseExpiresAt: at(60) }));
      const slightly = facts({ nowMs: EPOCH_MS + 1_000 - 60_000 });
      expect(decideClaimRun(state, slightly)).toMatchObject({ outcome: 'nothing_to_do' });
    });
  });

  it('CLM-5 fails a run whose workers died once too often without progress', () => {
    const state = given(runStarted(), runClaimed({ attempt: MOST_ATTEMPTS }));
    expect(eventsOf(decideClaimRun(state, facts()))).toEqual([
      { type: 'RunFailed', data: { reason: 'retries_exhausted', errorClass: 'worker_lost', detail: 'at_claim' } },
    ]);
  });

  it('CLM-5 forgets lost workers once there was progress', () => {
    const state = given(
      runStarted(),
      runClaimed({ attempt: MOST_ATTEMPTS }),
      modelResponded([{ callId: 'c1', toolName: 'look', disposition: 'run' }]),
    );
    const [event] = eventsOf(decideClaimRun(state, facts()));
    expect(event).toMatchObject({ type: 'RunClaimed', data: { attempt: 1 } });
  });

  it('SUB-10 releases an answered run whose submitter may no longer feed it', () => {
    const objection = { reason: 'submitter_not_permitted', toolName: 'ask' } as const;
    expect(eventsOf(decideClaimRun(given(...answered), facts({ objection })))).toEqual([
      { type: 'RunReleased', data: objection },
    ]);
  });

  it('SUB-10 releases nothing once a call of the turn has started', () => {
    const objection = { reason: 'submitter_not_permitted', toolName: 'ask' } as const;
    const [event] = eventsOf(decideClaimRun(given(...withStartedCall), facts({ objection })));
    expect(event?.type).toBe('RunClaimed');
  });

  it('SRC-6 fails a run that the ceiling stops anywhere but at its pause', () => {
    const blocking = { sourceId: 'snippet:s1', dataClass: 'secret_adjacent', zone: 'external_global' };
    const objection = { reason: 'context_blocked', ...blocking } as const;
    expect(eventsOf(decideClaimRun(given(...withStartedCall), facts({ objection })))).toMatchObject([
      { type: 'RunFailed', data: { reason: 'context_blocked', detail: 'at_claim', ...blocking } },
    ]);
    expect(eventsOf(decideClaimRun(given(...answered), facts({ objection })))).toEqual([
      { type: 'RunReleased', data: objection },
    ]);
  });

  it('INP-5 fails a run whose pause cannot be read back, rather than leave it claimed', () => {
    const state = given(...answered);
    expect(eventsOf(decideClaimRun(state, facts({ pause: 'digest_mismatch' })))).toEqual([
      { type: 'RunFailed', data: { reason: 'corrupt_state', errorClass: 'digest_mismatch', detail: 'at_claim' } },
    ]);
  });

  it('LIF-7 fails a run whose configuration is gone, but hands an answered one back to its pause', () => {
    const gone = facts({ configurationExists: false });
    expect(eventsOf(decideClaimRun(given(runStarted()), gone))).toMatchObject([
      { type: 'RunFailed', data: { reason: 'configuration_gone' } },
    ]);
    expect(eventsOf(decideClaimRun(given(...answered), gone))).toEqual([
      { type: 'RunReleased', data: { reason: 'configuration_gone' } },
    ]);
  });

  it('CLM-4 claims a run with an unfinished write whatever else is wrong, so that somebody is asked', () => {
    const state = given(...answered, runClaimed({ attempt: MOST_ATTEMPTS }), callStarted('c1', 'non_idempotent_write'));
    const [event] = eventsOf(decideClaimRun(state, facts({ configurationExists: false })));
    expect(event?.type).toBe('RunClaimed');
  });
});
