import { Simulation } from './simulation.js';

/*
 * The whole cycle of runs, from start to end, over a log that conflicts, loses answers, repeats and withholds, with
 * processes that die between any two awaits. Everything follows from a number.
 *
 *   SIMULATION_SEED=17 npx jest test/simulation/first      one seed again
 *   SIMULATION_SEEDS=50000 npx jest test/simulation        more of them
 */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 1_200);
const ONLY_SEED = process.env.SIMULATION_SEED;
const ENOUGH_FAILURES = 3;

/** Plays every `step`-th seed from the first one on. @returns what was violated, by seed. */
export async function violationsOfSeeds(first: number, step: number): Promise<string[]> {
  const failing: string[] = [];
  const [from, to] = ONLY_SEED === undefined ? [first, SEEDS] : [Number(ONLY_SEED), Number(ONLY_SEED)];
  for (let seed = from; seed <= to && failing.length < ENOUGH_FAILURES; seed += step) {
    const simulation = new Simulation(seed);
    await simulation.run();
    const { violations } = simulation;
    if (violations.length > 0) failing.push(`SIMULATION_SEED=${seed}: ${violations.slice(0, 3).join('; ')}`);
  }
  return failing;
}
