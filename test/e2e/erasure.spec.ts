import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventCodec } from '../../src/event-store/codec.js';
import type { StoredEvent } from '../../src/event-store/event-store.js';
import { ERASED } from '../../src/event-store/sealing.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { filesIn } from '../support/data-folder.js';
import type { Service } from '../support/service.js';
import { type OpenedPorts, STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * Whoever has every file but the destroyed key, the master key and an older copy of the log included, gets nothing back.
 */
describe.each(STORES)('content that was erased, on %s,', (_name, open) => {
  let store: StoreUnderTest;
  let service: Service;

  beforeAll(async () => {
    store = await open();
    service = await store.startNode({ HOLDPOINT_DEMO: '1', HOLDPOINT_KEEP_CONTENT_DAYS: '0' });
  }, 60_000);
  afterAll(() => store.remove());

  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async function withPorts<T>(work: (ports: OpenedPorts) => Promise<T>): Promise<T> {
    const ports = await store.openPorts();
    try {
      return await work(ports);
    } finally {
      await ports.close();
    }
  }

  /** A run's events as they are in the log now: what anybody could have copied. */
  function copyOf(runId: string): Promise<readonly StoredEvent[]> {
    return withPorts((ports) => ports.store.read(`run-${runId}`));
  }

  /** What opens of a run's events, in a copy or in the log, with the keys and the master key that there are now. */
  async function openedTypes(runId: string, copy?: readonly StoredEvent[]): Promise<string[]> {
    const codec = new EventCodec(EVENT_CATALOGUE);
    const events = (copy ?? (await copyOf(runId))).map((stored) => codec.decode(stored));
    const keys = await withPorts((ports) => ports.keys.find(`run-${runId}`));
    const opened = events.filter((event) => event.sealed !== undefined && codec.open(event, keys) !== ERASED);
    return opened.map(({ type }) => type);
  }

  it('SEA-2 SEA-3 is gone from the data folder and from every earlier copy of the log, while the run still lists', async () => {
    const marker = `marker-${Math.random().toString(36).slice(2)}`;
    const start = { configurationId: 'demo', input: `remember ${marker}` };
    const { body: waiting } = await service.call('POST', '/runs', start, { prefer: 'wait=20' });
    const run = `/runs/${waiting.id}`;
    const backup = await copyOf(waiting.id);
    expect(await openedTypes(waiting.id, backup)).toContain('RunStarted');

    const data = { date: '2030-05-02', slot: 'morning' };
    const { turnDigest } = waiting.pause;
    const { body: done } = await service.call('POST', `${run}/input`, { turnDigest, data }, { prefer: 'wait=20' });
    expect(done.outcome.content).toBe('The delivery of order 1042 is arranged.');

    // By default working content goes when the run has settled, and the final answer stays readable.
    await until(async () => (await openedTypes(waiting.id)).every((type) => type === 'RunCompleted'));
    expect(await openedTypes(waiting.id, backup)).toEqual([]);
    const { body: kept } = await service.call('GET', run);
    expect(kept).toMatchObject({ status: 'completed', outcome: { content: done.outcome.content } });
    const { body: replay } = await service.call('POST', `${run}/input`, { turnDigest, data });
    expect(replay.submission).toBe('replayed');

    // On request the final answer goes, too.
    expect((await service.call('DELETE', `${run}/content`)).status).toBe(204);
    const { body: erased } = await service.call('GET', run);
    expect(erased).toMatchObject({ status: 'completed', outcome: { reason: 'finished', contentErased: true } });
    expect(erased.outcome).not.toHaveProperty('content');
    await until(async () => (await openedTypes(waiting.id)).length === 0);

    const listed = await service.call('GET', '/runs');
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(waiting.id);
    for (const file of filesIn(store.folder)) {
      expect(readFileSync(join(store.folder, file)).includes(marker)).toBe(false);
    }
    for (const bytes of (await store.logAndKeys()).values()) expect(bytes.includes(marker)).toBe(false);
  }, 60_000);

  it('SEA-3 is not erased while a run still needs it', async () => {
    const start = { configurationId: 'demo', input: 'go' };
    const { body: waiting } = await service.call('POST', '/runs', start, { prefer: 'wait=20' });
    const refused = await service.call('DELETE', `/runs/${waiting.id}/content`);
    expect([refused.status, refused.body.code]).toEqual([409, 'run-not-settled']);
  }, 60_000);
});
