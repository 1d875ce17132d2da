// @ts-check
/*
 * `npm run chaos -- --seed 7 --rounds 200`: the storm of test/chaos/chaos.spec.ts, as long as it is wanted.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, rounds: { type: 'string', default: '200' } },
});
const { status } = spawnSync('npx', ['jest', 'test/chaos', '--runInBand'], {
  stdio: 'inherit',
  env: { ...process.env, CHAOS_SEED: values.seed, CHAOS_ROUNDS: values.rounds },
});
process.exitCode = status ?? 1;
