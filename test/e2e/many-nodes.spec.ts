import type { Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

const NODES = 4;
const RUNS = 24;

/*
 * Four workers on one log: each sees that a run is due, one claims it.
 */
describe.each(STORES)('four nodes on %s', (name, open) => {
  const nodes: Service[] = [];
  let store: StoreUnderTest;

  beforeAll(async () => {
    store = await open();
    for (let node = 0; node < NODES; node += 1) nodes.push(await store.startNode({ HOLDPOINT_DEMO: '1' }));
  }, 240_000);

  afterAll(() => store.remove());

  /** Claims so far, by whether they ended in a segment. Those that only read count, too. */
  async function claims(): Promise<{ readonly won: number; readonly inVain: number }> {
    const texts = await Promise.all(nodes.map((node) => node.request('GET', '/metrics')));
    const counted = texts.flatMap(({ text }) => [...text.matchAll(/^holdpoint_claims_total\{reply="(\w+)"\} (\d+)/gm)]);
    const sum = (wanted: (reply: string) => boolean) =>
      counted.filter(([, reply]) => wanted(reply as string)).reduce((total, [, , count]) => total + Number(count), 0);
    return { won: sum((reply) => reply === 'claimed'), inVain: sum((reply) => reply !== 'claimed') };
  }

  /** Starts a run on one node, answers on another and looks at it on a third. @returns how long the answer took, in ms. */
  async function goThrough(index: number): Promise<number> {
    const node = (offset: number) => nodes[(index + offset) % NODES] as Service;
    const start = { configurationId: 'demo', input: 'go' };
    const { body: started } = await node(0).call('POST', '/runs', start, { prefer: 'wait=30' });
    const answer = { turnDigest: started.pause.turnDigest, data: { date: '2030-05-02', slot: 'morning' } };
    const answeredAt = performance.now();
    const { body: done } = await node(1).call('POST', `/runs/${started.id}/input`, answer, { prefer: 'wait=30' });
    const tookMs = performance.now() - answeredAt;
    expect(done).toMatchObject({ status: 'completed', submission: 'accepted' });
    const { body: timeline } = await node(2).call('GET', `/runs/${started.id}/events`);
    const types = timeline.items.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type === 'RunClaimed')).toHaveLength(2);
    expect(types.filter((type: string) => type === 'ToolCallCompleted')).toHaveLength(2);
    return tookMs;
  }

  it.each([
    ['one after the other, by workers that have not met', 6, 1, NODES],
    ['one after the other', 12, 1, 1.5],
    ['many at once', RUNS, RUNS, NODES - 1],
  ])(
    'CLM-1 go on with every run exactly once, %s',
    async (how, runs, atOnce, most) => {
      const before = await claims();
      const tookMs: number[] = [];
      for (let begun = 0; begun < runs; begun += atOnce) {
        tookMs.push(...(await Promise.all(Array.from({ length: atOnce }, (_, index) => goThrough(begun + index)))));
      }
      const after = await claims();
      const won = after.won - before.won;
      expect(won).toBe(2 * runs);
      const each = (after.inVain - before.inVain) / won;
      // How many are in vain depends on how busy the machine is; `test/simulation/turn-taking` has the figures without it.
      expect(each).toBeLessThan(most);
      const median = tookMs.sort((one, other) => one - other)[tookMs.length >> 1] as number;
      process.stdout.write(
        `${name}, ${how}: ${each.toFixed(2)} claims in vain for each that won, ${median.toFixed(0)} ms from answer to end\n`,
      );
    },
    240_000,
  );
});
