import { violationsOfSeeds } from './seeds.js';

// Two files, so that two processors share the seeds.
describe('the first half of the simulated seeds', () => {
  it('CLM-1 CLM-2 CLM-3 CLM-6 loses no answer, runs no recorded call twice, has one winner per claim, and ends', async () => {
    expect(await violationsOfSeeds(1, 2)).toEqual([]);
  }, 600_000);
});
