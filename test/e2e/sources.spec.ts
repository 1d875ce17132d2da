import { PlantedWord } from '../support/content-search.js';
import type { Service } from '../support/service.js';
import { STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * What a run may send depends on what is in its prompt and where it goes, and both change while it waits: over the real
 * service, stopped and started again in between.
 */
describe.each(STORES)('a run whose prompt has become too sensitive for where it leads, on %s', (_name, open) => {
  const word = new PlantedWord();
  let store: StoreUnderTest;
  let service: Service;
  let printed = '';

  const start = async () => {
    const env = { HOLDPOINT_DEMO: '1', HOLDPOINT_LOG_LEVEL: 'trace' };
    service = await store.startNode(env, { node: 0 });
  };

  const restart = async () => {
    await service.stop();
    printed += service.output;
    await start();
  };

  beforeAll(async () => {
    store = await open();
    await start();
  }, 60_000);
  afterAll(() => store.remove());

  const turns = [{ calls: [{ toolName: 'ask_delivery_window', arguments: { orderId: '7' } }] }, { text: 'arranged' }];
  const configuration = { provider: { kind: 'scripted', turns }, snippetIds: ['tariffs'] };

  async function pointAt(trustZone: string): Promise<void> {
    const { status } = await service.call('PUT', '/configurations/delivery', { ...configuration, trustZone });
    expect([200, 201]).toContain(status);
  }

  it('SRC-2 SRC-3 SRC-6 is refused the answer by name, class and zone; pointed back, the same pause is answered', async () => {
    const snippet = { name: word.at('name'), content: word.at('text'), dataClass: 'secret_adjacent', active: true };
    await service.call('PUT', '/snippets/tariffs', snippet);
    await pointAt('local');
    const wait = { prefer: 'wait=30' };
    const started = await service.call('POST', '/runs', { configurationId: 'delivery', input: 'go' }, wait);
    expect(started.body.status).toBe('waiting_for_input');
    const path = `/runs/${started.body.id}`;
    const { turnDigest } = started.body.pause;
    const answer = () =>
      service.call('POST', `${path}/input`, { turnDigest, data: { date: '2030-05-02', slot: 'morning' } }, wait);

    await pointAt('external_global');
    const said: string[] = [];
    for (const again of [async () => {}, restart]) {
      await again();
      const refused = await answer();
      said.push(refused.text);
      expect([refused.status, refused.body.code]).toEqual([409, 'context-blocked']);
      expect(refused.body.detail).toMatch(/snippet:tariffs.*secret_adjacent.*external_global/);
      expect((await service.call('GET', path)).body).toMatchObject({
        status: 'waiting_for_input',
        pause: { turnDigest },
      });
    }
    expect((await service.call('POST', '/runs', { configurationId: 'delivery', input: 'go' })).body.code).toBe(
      'context-blocked',
    );
    const { body: policy } = await service.call('GET', '/configurations/delivery/policy');
    expect(policy.context).toMatchObject({ verdict: 'blocked', over: { source: 'snippet:tariffs' } });

    await pointAt('local');
    const done = await answer();
    expect(done.body).toMatchObject({ submission: 'accepted', status: 'completed' });

    for (const read of [`/audit?runId=${started.body.id}`, '/audit', `${path}/events`, path]) {
      said.push((await service.call('GET', read)).text);
    }
    await service.stop();
    expect(word.findIn(Buffer.from([...said, printed, service.output].join('\n')))).toEqual([]);
    expect(word.findInFolder(store.folder)).toEqual([]);
    for (const bytes of (await store.logAndKeys()).values()) expect(word.findIn(bytes)).toEqual([]);
    expect(said.join('')).toContain('context_blocked');
  }, 90_000);
});
