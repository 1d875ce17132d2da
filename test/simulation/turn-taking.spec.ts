import { type Conditions, type Outcome, TurnTaking } from './turn-taking.js';

const CALM: Conditions = { workers: 4, runs: 200, everyMs: 100, segmentMs: 200, maxSegments: 8, lagMs: 100 };
const SEEDS = process.env.SIMULATION_SEED === undefined ? [1] : [Number(process.env.SIMULATION_SEED)];

/** Claims in vain for each that won, beyond which workers are in each other's way. */
const MOST_IN_VAIN = 0.2;

function inVain({ inVain, claimed }: Outcome): number {
  return inVain / claimed;
}

function longest({ waits }: Outcome): number {
  return Math.max(...waits);
}

describe.each(SEEDS)('CLM-1 workers with due tables of their own, by seed %i,', (seed) => {
  const all: TurnTaking[] = [];
  afterEach(() => {
    for (const turns of all.splice(0)) turns.end();
  });

  function under(conditions: Partial<Conditions>): TurnTaking {
    const turns = new TurnTaking(seed, { ...CALM, ...conditions });
    all.push(turns);
    return turns;
  }

  it.each([
    ['runs that come now and then', { everyMs: 20_000, runs: 100 }],
    ['runs that come all the time', {}],
    ['runs that come faster than they hear of each other', { everyMs: 20 }],
    ['eight of them', { workers: 8 }],
    ['news that take long', { lagMs: 600 }],
    ['news that take very long', { lagMs: 1_500 }],
    ['clocks that are seconds apart', { skewMs: 4_000 }],
  ])('hardly claim in vain, and claim as soon as they hear of a run, with %s', async (_, conditions) => {
    const outcome = await under(conditions).play();
    expect(inVain(outcome)).toBeLessThan(MOST_IN_VAIN);
    // What is left of a wait, once the news has come, is the claim.
    const { lagMs } = { ...CALM, ...conditions };
    expect(longest(outcome)).toBeLessThan(lagMs + 100);
  });

  it('each get their share', async () => {
    const { shares, claimed } = await under({}).play();
    for (const share of shares.values()) expect(share).toBeGreaterThan(claimed / 4 / 2);
  });

  it.each([
    ['more runs than there are slots', { everyMs: 5, maxSegments: 2, segmentMs: 500 }],
    ['all runs at once', { everyMs: 0, maxSegments: 4, segmentMs: 1_000 }],
    ['hardly a slot free', { everyMs: 70, maxSegments: 2, segmentMs: 1_000 }],
  ])('leave no slot empty, and hardly claim in vain, with %s', async (_, conditions) => {
    const outcome = await under(conditions).play();
    expect(inVain(outcome)).toBeLessThan(MOST_IN_VAIN);
    const { maxSegments, segmentMs, workers, runs, everyMs } = { ...CALM, ...conditions };
    const workMs = (runs * segmentMs) / 2 / (workers * maxSegments);
    expect(longest(outcome)).toBeLessThan(Math.max(0, workMs - runs * everyMs) * 1.3 + 4_000);
  });

  it('CLM-3 take the runs of one that died a turn later, and soon do without it', async () => {
    const turns = under({ everyMs: 1_000 });
    const outcome = await turns.play((started) => started === 50 && turns.killWorker());
    expect(inVain(outcome)).toBeLessThan(MOST_IN_VAIN);
    expect(longest(outcome)).toBeLessThan(1_000);
    const late = outcome.waits.slice(60).filter((wait) => wait > 250).length;
    expect(late).toBeLessThan(outcome.waits.length / 10);
  });

  it('stay out of each other’s way while they are replaced one after the other', async () => {
    const turns = under({});
    const outcome = await turns.play((started) => {
      if (started % 50 !== 0) return;
      turns.stopWorker();
      turns.addWorker();
    });
    expect(inVain(outcome)).toBeLessThan(MOST_IN_VAIN);
    expect(longest(outcome)).toBeLessThan(2_500);
  });
});
