import { Chaos } from './chaos.js';

/*
 * A short storm; `npm run chaos -- --seed 7 --rounds 200` is a long one.
 */
const seed = Number(process.env.CHAOS_SEED ?? 1);
const rounds = Number(process.env.CHAOS_ROUNDS ?? 8);

describe('two workers that are killed and stopped beyond their lease', () => {
  it('CLM-1 CLM-2 CLM-3 CLM-4 CLM-6 lose no answer, repeat no write and leave no run behind', async () => {
    const report = await new Chaos({ seed, rounds }).run();
    if (process.env.CHAOS_ROUNDS !== undefined) process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.violations).toEqual([]);
    expect(report.runs).toBeGreaterThanOrEqual(4);
    expect(report.kills).toBe(rounds);
  }, 3_600_000);
});
