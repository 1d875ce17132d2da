import fc from 'fast-check';
import type { JsonValue } from '../../src/events/json.js';
import { decideSubmitInput, type SubmitFacts, type SubmitInput } from '../../src/run/decisions/submit-input.js';
import {
  callCompleted,
  completed,
  DIGEST,
  given,
  inputSubmitted,
  MAC,
  modelResponded,
  runClaimed,
  runStarted,
  suspendedForApproval,
  waitingForInput,
} from '../support/run-history.js';

const OTHER_MAC = 'o'.repeat(43);

function command(changed: Partial<SubmitInput> = {}): SubmitInput {
  return {
    principalId: 'sam',
    turnDigest: DIGEST,
    values: { form: 'answers', answers: { c1: { date: '2030-05-01' } } },
    ...changed,
  };
}

function facts(changed: Partial<SubmitFacts> = {}): SubmitFacts {
  return {
    reaches: true,
    answerMac: MAC,
    pause: 'sound',
    configurationExists: true,
    submitterRefusal: null,
    ceilingRefusal: null,
    ...changed,
  };
}

const waiting = given(...waitingForInput('c1'));
const answered = given(...waitingForInput('c1'), inputSubmitted());
const settled = given(...waitingForInput('c1'), inputSubmitted(), runClaimed(), callCompleted('c1'), completed);

describe('a submission', () => {
  it('INP-1 becomes one event that says who answered which turn, and whose values are content', () => {
    expect(decideSubmitInput(waiting, command(), facts())).toEqual({
      outcome: 'accepted',
      events: [
        {
          type: 'InputSubmitted',
          data: { submittedBy: 'sam', turnDigest: DIGEST, answerMac: MAC },
          content: { answers: { c1: { date: '2030-05-01' } } },
        },
      ],
      reply: { submission: 'accepted', status: 'queued', ignoredKeys: [] },
    });
  });

  it('INP-9 answers all requests of a turn or none', () => {
    const two = given(...waitingForInput('c1', 'c2'));
    const half = { form: 'answers', answers: { c1: { date: 'd' } } } as const;
    expect(decideSubmitInput(two, command({ values: half }), facts())).toMatchObject({
      rejection: { code: 'invalid_input', faults: [{ callId: 'c2', keyword: 'required' }] },
    });
    const whole = { form: 'answers', answers: { c1: { date: 'd' }, c2: { date: 'e' } } } as const;
    expect(decideSubmitInput(two, command({ values: whole }), facts()).outcome).toBe('accepted');
  });

  it('INP-9 takes data only where it is clear for which request it is', () => {
    const data = { form: 'data', data: { date: 'd' } } as const;
    expect(decideSubmitInput(waiting, command({ values: data }), facts()).outcome).toBe('accepted');
    const two = given(...waitingForInput('c1', 'c2'));
    expect(decideSubmitInput(two, command({ values: data }), facts())).toMatchObject({
      rejection: { code: 'invalid_input' },
    });
  });

  it('refuses an answer to a request that is not open as a whole', () => {
    const values = { form: 'answers', answers: { c1: { date: 'd' }, c9: { date: 'e' } } } as const;
    expect(decideSubmitInput(waiting, command({ values }), facts())).toMatchObject({
      rejection: { code: 'invalid_input', faults: [{ keyword: 'unknownCall' }] },
    });
  });

  it('INP-6 takes declared keys only, and says which it did not take', () => {
    const values = { form: 'answers', answers: { c1: { date: 'd', 'a/b': 1, constructor: 2 } } } as const;
    expect(decideSubmitInput(waiting, command({ values }), facts())).toMatchObject({
      events: [{ content: { answers: { c1: { date: 'd' } } } }],
      reply: { ignoredKeys: ['/c1/a~1b', '/c1/constructor'] },
    });
  });

  it('INP-3 lists the faults with call id, pointer, keyword and message', () => {
    const values = { form: 'answers', answers: { c1: { floor: 'third' } } } as const;
    const decision = decideSubmitInput(waiting, command({ values }), facts());
    expect(decision).toMatchObject({ outcome: 'rejected', rejection: { code: 'invalid_input', truncated: false } });
    const faults = decision.outcome === 'rejected' && 'faults' in decision.rejection ? decision.rejection.faults : [];
    expect(faults.map(({ callId, pointer, keyword }) => [callId, pointer, keyword]).sort()).toEqual([
      ['c1', '/date', 'required'],
      ['c1', '/floor', 'type'],
    ]);
    expect(JSON.stringify(faults)).not.toContain('third');
  });

  it('TRN-3 refuses every digest that is not exactly that of the turn, a missing one included', () => {
    for (const turnDigest of [
      undefined,
      null,
      '',
      1,
      [DIGEST],
      DIGEST.toUpperCase(),
      DIGEST.slice(1),
      'b'.repeat(64),
    ]) {
      expect(decideSubmitInput(waiting, command({ turnDigest }), facts())).toMatchObject({
        outcome: 'rejected',
        rejection: { code: 'stale_turn' },
      });
    }
  });

  it('TRN-5 tells the same principal that the same answer was accepted, also after the run has settled', () => {
    for (const state of [answered, settled]) {
      expect(decideSubmitInput(state, command(), facts({ pause: 'none' }))).toMatchObject({
        outcome: 'nothing_to_do',
        reply: { submission: 'replayed', status: state.status },
      });
    }
  });

  it('TRN-5 tells everybody else, and everything else, that the turn is answered', () => {
    for (const state of [answered, settled]) {
      const byOther = decideSubmitInput(state, command({ principalId: 'olga' }), facts());
      const withOther = decideSubmitInput(state, command(), facts({ answerMac: OTHER_MAC }));
      const unrecognised = decideSubmitInput(state, command(), facts({ answerMac: null }));
      for (const decision of [byOther, withOther, unrecognised]) {
        expect(decision).toMatchObject({ rejection: { code: 'already_answered' } });
      }
    }
  });

  it('INP-2 refuses a run that waits for an approval', () => {
    const state = given(
      runStarted(),
      runClaimed(),
      modelResponded([{ callId: 'c1', toolName: 'refund', disposition: 'approval' }]),
      suspendedForApproval('c1'),
    );
    expect(decideSubmitInput(state, command(), facts())).toMatchObject({
      rejection: { code: 'not_awaiting_input', status: 'waiting_for_approval' },
    });
  });

  it('TRN-5 checks in its order: of everything that is wrong the first is told', () => {
    const wrong = command({ turnDigest: 'wrong', values: { form: 'answers', answers: 7 } });
    const refusal = { toolName: 'ask', reason: 'admins_only' };
    const ceiling = { source: 's', dataClass: 'internal', zone: 'local' };
    let known = facts({
      reaches: false,
      pause: 'corrupt',
      configurationExists: false,
      submitterRefusal: refusal,
      ceilingRefusal: ceiling,
    });
    let asked = wrong;
    const told: string[] = [];
    const tell = () => {
      const decision = decideSubmitInput(waiting, asked, known);
      told.push(decision.outcome === 'rejected' ? decision.rejection.code : decision.outcome);
    };
    tell();
    known = { ...known, reaches: true };
    tell();
    known = { ...known, pause: 'sound' };
    tell();
    known = { ...known, configurationExists: true };
    tell();
    asked = { ...asked, turnDigest: DIGEST };
    tell();
    known = { ...known, submitterRefusal: null };
    tell();
    known = { ...known, ceilingRefusal: null };
    tell();
    asked = command();
    tell();
    expect(told).toEqual([
      'run_not_found',
      'corrupt_suspended_state',
      'configuration_gone',
      'stale_turn',
      'submitter_not_permitted',
      'context_blocked',
      'invalid_input',
      'accepted',
    ]);
  });

  it('says of a settled or running run that it does not wait, unless the turn that is named was answered', () => {
    const other = command({ turnDigest: 'b'.repeat(64) });
    expect(decideSubmitInput(settled, other, facts())).toMatchObject({ rejection: { code: 'run_settled' } });
    expect(decideSubmitInput(answered, other, facts())).toMatchObject({ rejection: { code: 'not_awaiting_input' } });
    expect(decideSubmitInput(given(), other, facts())).toMatchObject({ rejection: { code: 'run_not_found' } });
  });

  it('never changes anything when it is not valid, and yields no event when it is repeated (property)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answers) => {
        const posted = command({ values: { form: 'answers', answers: answers as JsonValue } });
        const decision = decideSubmitInput(waiting, posted, facts());
        expect(decision.outcome === 'accepted' || decision.outcome === 'rejected').toBe(true);
        expect(decideSubmitInput(answered, posted, facts({ pause: 'none' })).outcome).toBe('nothing_to_do');
      }),
    );
  });
});
