import fc from 'fast-check';
import { retryAfterMs } from '../../src/models/failure-class.js';
import { type ModelAnswer, ModelCallFailed, type ModelFailureClass } from '../../src/models/model-provider.js';
import { retryAt } from '../../src/tool-loop/retry.js';
import { Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';

const LEASE_MS = 60_000;
const NOW = Date.parse('2030-01-01T00:00:00.000Z');

describe('CLM-5 when a failed model call is tried again', () => {
  it('grows with every attempt, is drawn between half and all of it, and never lasts for ever', () => {
    const attempts = fc.integer({ min: 1, max: 40 });
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(attempts, fraction, (attempt, drawn) => {
        const span = Math.min(1_000 * 2 ** (attempt - 1), 60_000);
        const waited = retryAt(NOW, attempt, 0, drawn) - NOW;
        expect(waited).toBeGreaterThanOrEqual(span / 2);
        expect(waited).toBeLessThanOrEqual(span);
      }),
    );
  });

  it.each([
    ['30', 30_000],
    ['Tue, 01 Jan 2030 00:00:45 GMT', 45_000],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['99999999999999999999', 600_000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 600_000],
    ['-5', 0],
    ['soon', 0],
  ])('with Retry-After %j is not before that, ten minutes at most, and not for all runs at one moment', (said, ms) => {
    const asked = retryAfterMs(said, NOW) ?? 0;
    expect(asked).toBe(ms);
    const earliest = retryAt(NOW, 1, asked, 0) - NOW;
    const latest = retryAt(NOW, 1, asked, 0.999) - NOW;
    expect(earliest).toBe(Math.max(ms, 500));
    expect(latest).toBeGreaterThan(earliest);
    expect(latest).toBeLessThan(earliest + 1_000);
  });
});

describe('CLM-5 the budget of a run without progress', () => {
  const answer: ModelAnswer = {
    model: 'm',
    text: 'so',
    calls: [{ callId: 'c', toolName: 'look', arguments: '{"at":1}' }],
    usage: { inputTokens: 0, outputTokens: 0 },
  };

  /** A run, and what its model does next: an answer that makes progress, or a failure. */
  async function aRun() {
    const model: { next: ModelFailureClass | 'answers' } = { next: 'server_error' };
    const remains = runRemains();
    const ask = async () => {
      if (model.next === 'answers') {
        model.next = 'server_error';
        return answer;
      }
      throw new ModelCallFailed(model.next, model.next === 'circuit_open' ? 30_000 : undefined);
    };
    const desk = new RunDesk(remains, { clientFor: () => ({ ask }) });
    await desk.know(olga);
    await new Operator(desk).configuration({ provider: { kind: 'scripted', turns: [] }, trustZone: 'local' });
    const started = await desk.start({ configurationId: 'conf' });
    if (started.outcome === 'rejected') throw new Error('it starts');
    const { runId } = started;
    return {
      desk,
      runId,
      model,
      /** The next segment, as soon as there may be one. */
      async goOn(failure: ModelFailureClass | 'answers'): Promise<string> {
        model.next = failure;
        await remains.clock.advance(LEASE_MS);
        return desk.work(runId);
      },
      /** A worker claims the run and dies. */
      async loseWorker(): Promise<string> {
        await remains.clock.advance(LEASE_MS);
        return (await desk.claim(runId)).reply;
      },
    };
  }

  it('is shared by failures of the provider and by workers that died', async () => {
    const run = await aRun();
    expect(await run.goOn('timeout')).toBe('queued');
    expect(await run.loseWorker()).toBe('claimed');
    // The second attempt is that another worker takes the run over, the third that it fails, too.
    expect(await run.goOn('connection')).toBe('queued');
    expect(await run.goOn('server_error')).toBe('failed');
    expect(await run.desk.last(run.runId, 'RunFailed')).toMatchObject({ reason: 'retries_exhausted' });
  });

  it('is whole again after recorded progress', async () => {
    const run = await aRun();
    for (const failure of ['timeout', 'rate_limited', 'connection'] as const) {
      expect(await run.goOn(failure)).toBe('queued');
    }
    // An answer and the result of its call are recorded, then the next question fails.
    expect(await run.goOn('answers')).toBe('queued');
    expect(await run.desk.last(run.runId, 'RunRequeued')).toMatchObject({ attempt: 1 });
    expect(await run.goOn('timeout')).toBe('queued');
    expect(await run.goOn('timeout')).toBe('queued');
    expect(await run.goOn('timeout')).toBe('failed');
  });

  it('pays nothing for a call that an open circuit kept from being made, and the run leaves its slot for that time', async () => {
    const run = await aRun();
    for (let call = 0; call < 20; call += 1) {
      expect(await run.goOn('circuit_open')).toBe('queued');
      const requeued = await run.desk.last(run.runId, 'RunRequeued');
      expect(requeued).toMatchObject({ reason: 'circuit_open', attempt: 0 });
      const waits = Date.parse(requeued?.notBefore ?? '') - run.desk.remains.clock.now();
      expect(waits).toBeGreaterThanOrEqual(30_000);
      expect(waits).toBeLessThan(31_000);
      expect((await run.desk.claim(run.runId)).reply).toBe('not_claimable');
    }
  });
});
