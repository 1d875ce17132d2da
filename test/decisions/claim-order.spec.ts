import fc from 'fast-check';
import { claimWeight, goesBefore } from '../../src/sagas/claim-order.js';

const workers = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80 }), { minLength: 2, maxLength: 12 });

function order(workerIds: readonly string[], runId: string): string[] {
  return [...workerIds].sort((one, other) => (goesBefore(one, other, runId) ? -1 : 1));
}

describe('The order in which workers look at a run', () => {
  it('is the same whoever asks, and has every worker once', () => {
    fc.assert(
      fc.property(workers, fc.string(), (workerIds, runId) => {
        const expected = order(workerIds, runId);
        expect(order([...workerIds].reverse(), runId)).toEqual(expected);
        for (const [index, id] of expected.entries()) {
          const before = workerIds.filter((other) => other !== id && goesBefore(other, id, runId));
          expect(before).toHaveLength(index);
        }
      }),
    );
  });

  it('leaves the others in their places when a worker goes', () => {
    fc.assert(
      fc.property(workers, fc.string(), (workerIds, runId) => {
        const [gone, ...rest] = workerIds;
        expect(order(rest, runId)).toEqual(order(workerIds, runId).filter((id) => id !== gone));
      }),
    );
  });

  it('has one of two workers go first, whatever they are called', () => {
    fc.assert(
      fc.property(workers, fc.string(), ([one = '', other = ''], runId) => {
        expect(goesBefore(one, other, runId)).toBe(!goesBefore(other, one, runId));
      }),
    );
  });

  it('is another for each run: workers whose names hardly differ are first equally often', () => {
    const workerIds = ['node-1-12-aaaa0000', 'node-1-12-aaaa0001', 'node-1-12-aaaa0002', 'node-1-12-aaaa0003'];
    const firsts = new Map<string, number>();
    for (let run = 0; run < 4_000; run += 1) {
      const first = order(workerIds, `run-${run}`)[0] as string;
      firsts.set(first, (firsts.get(first) ?? 0) + 1);
    }
    for (const id of workerIds) {
      expect(firsts.get(id)).toBeGreaterThan(850);
      expect(firsts.get(id)).toBeLessThan(1_150);
    }
  });

  it('is a matter between versions of the service, so the weights stay what they are', () => {
    expect([claimWeight('w1', 'run-a'), claimWeight('w2', 'run-a'), claimWeight('w1', 'run-b')]).toEqual([
      2_245_516_374, 2_505_025_827, 2_241_944_511,
    ]);
  });
});
