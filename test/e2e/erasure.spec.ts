import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventCodec } from '../../src/event-store/codec.js';
import { MasterKey } from '../../src/event-store/master-key.js';
import { ERASED } from '../../src/event-store/sealing.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

/*
 * Whoever has every file but the destroyed key, the master key and an older copy of the log included, gets nothing back.
 */
describe('content that was erased', () => {
  const folder = scratchFolder();
  const dataDir = join(folder.path, 'data');
  const backup = join(folder.path, 'backup');
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ dataDir, env: { HOLDPOINT_DEMO: '1', HOLDPOINT_KEEP_CONTENT_DAYS: '0' } });
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** What opens of a run's events, of the log in one folder, with the keys and the master key of the data folder. */
  async function openedTypes(logDir: string, runId: string): Promise<string[]> {
    const masterKey = MasterKey.parse(readFileSync(join(dataDir, 'master.key'), 'utf8').trim(), 'the test');
    const keyStore = SqliteKeyStore.open({ path: join(dataDir, 'keys.sqlite'), masterKey });
    const store = SqliteEventStore.open({ path: join(logDir, 'events.sqlite') });
    const codec = new EventCodec(EVENT_CATALOGUE);
    const keys = await keyStore.find(`run-${runId}`);
    const events = (await store.read(`run-${runId}`)).map((stored) => codec.decode(stored));
    const opened = events.filter((event) => event.sealed !== undefined && codec.open(event, keys) !== ERASED);
    await store.close();
    await keyStore.close();
    return opened.map(({ type }) => type);
  }

  it('SEA-2 SEA-3 is gone from the data folder and from every earlier copy of the log, while the run still lists', async () => {
    const marker = `marker-${Math.random().toString(36).slice(2)}`;
    const start = { configurationId: 'demo', input: `remember ${marker}` };
    const { body: waiting } = await service.call('POST', '/runs', start, { prefer: 'wait=20' });
    const run = `/runs/${waiting.id}`;
    cpSync(dataDir, backup, { recursive: true });
    expect(await openedTypes(backup, waiting.id)).toContain('RunStarted');

    const data = { date: '2030-05-02', slot: 'morning' };
    const { turnDigest } = waiting.pause;
    const { body: done } = await service.call('POST', `${run}/input`, { turnDigest, data }, { prefer: 'wait=20' });
    expect(done.outcome.content).toBe('The delivery of order 1042 is arranged.');

    // By default working content goes when the run has settled, and the final answer stays readable.
    await until(async () => (await openedTypes(dataDir, waiting.id)).every((type) => type === 'RunCompleted'));
    expect(await openedTypes(backup, waiting.id)).toEqual([]);
    const { body: kept } = await service.call('GET', run);
    expect(kept).toMatchObject({ status: 'completed', outcome: { content: done.outcome.content } });
    const { body: replay } = await service.call('POST', `${run}/input`, { turnDigest, data });
    expect(replay.submission).toBe('replayed');

    // On request the final answer goes, too.
    expect((await service.call('DELETE', `${run}/content`)).status).toBe(204);
    const { body: erased } = await service.call('GET', run);
    expect(erased).toMatchObject({ status: 'completed', outcome: { reason: 'finished', contentErased: true } });
    expect(erased.outcome).not.toHaveProperty('content');
    await until(async () => (await openedTypes(dataDir, waiting.id)).length === 0);

    const listed = await service.call('GET', '/runs');
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(waiting.id);
    for (const name of readdirSync(dataDir)) {
      expect(readFileSync(join(dataDir, name)).includes(marker)).toBe(false);
    }
  }, 60_000);

  it('SEA-3 is not erased while a run still needs it', async () => {
    const start = { configurationId: 'demo', input: 'go' };
    const { body: waiting } = await service.call('POST', '/runs', start, { prefer: 'wait=20' });
    const refused = await service.call('DELETE', `/runs/${waiting.id}/content`);
    expect([refused.status, refused.body.code]).toEqual([409, 'run-not-settled']);
  }, 60_000);
});
