import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MasterKey } from '../../src/event-store/master-key.js';
import { MasterKeys } from '../../src/event-store/master-keys.js';
import { changeMasterKey } from '../../src/event-store/sqlite/master-key-change.js';
import { SqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { filesIn } from '../support/data-folder.js';
import { failedStart } from '../support/failed-start.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { aMasterKey } from '../support/key-samples.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

jest.setTimeout(60_000);

describe('changing the master key', () => {
  const folder = scratchFolder();
  let number = 0;
  afterAll(() => folder.remove());

  const place = () => {
    number += 1;
    return join(folder.path, `${number}`);
  };

  it('SEA-2 keeps all keys, whoever opens or makes some meanwhile, and leaves nothing that the old key wrapped', async () => {
    const path = place();
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const known = [inUse];
    const running = SqliteKeyStore.open({ path, masterKey: new MasterKeys(() => [...known]) });
    const names = Array.from({ length: 1_000 }, (_, index) => `run-${index}`);
    const made = await Promise.all(names.map((name) => running.create(name)));
    await running.destroy('run-7', 'working');
    const service = running.serviceKey('run-ids');
    const wrapped = wrappedIn(path);

    // From here on the process can get at the next key; it looks when it first meets it.
    known.push(next);
    const young: Promise<unknown>[] = [];
    const onProgress = (count: number) => young.push(running.create(`run-young-${count}`), running.find('run-3'));
    const { rewrapped, damaged } = await changeMasterKey({ path, inUse, next, onProgress });

    expect(damaged).toEqual([]);
    expect(rewrapped).toBeGreaterThanOrEqual(1_000);
    await Promise.all(young);
    const youngKeys = await running.find('run-young-200');
    known.shift();
    const restarted = SqliteKeyStore.open({ path, masterKey: next });
    for (const [index, name] of names.entries()) {
      const { working, ...outcome } = made[index] ?? {};
      expect(await restarted.find(name)).toEqual(index === 7 ? outcome : { working, ...outcome });
    }
    expect(await restarted.find('run-young-200')).toEqual(youngKeys);
    expect(youngKeys.working).toBeDefined();
    // What was made from it, such as run ids, stays what it was.
    expect(restarted.serviceKey('run-ids')).toEqual(service);
    expect(() => SqliteKeyStore.open({ path, masterKey: inUse })).toThrow('not the one');
    await running.close();
    await restarted.close();
    const bytes = readFileSync(path);
    for (const key of wrapped) expect(bytes.includes(key)).toBe(false);
  });

  function wrappedIn(path: string): Buffer[] {
    const database = openDatabase(path, { readOnly: true });
    const sql = "SELECT working, outcome FROM stream_keys WHERE stream <> 'run-7'";
    const rows = database.prepare<{ working: Uint8Array; outcome: Uint8Array }>(sql).all();
    database.close();
    return rows.flatMap(({ working, outcome }) => [Buffer.from(working), Buffer.from(outcome)]);
  }

  it('a process that was only given the old key makes no keys that only it could open', async () => {
    const path = place();
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const old = SqliteKeyStore.open({ path, masterKey: inUse });
    const before = await old.create('run-1');
    await changeMasterKey({ path, inUse, next });
    await expect(old.create('run-2')).rejects.toThrow('the master key was changed; this process has the old one');
    await expect(old.find('run-1')).rejects.toThrow('damaged');
    await old.close();
    const restarted = SqliteKeyStore.open({ path, masterKey: next });
    expect(await restarted.find('run-1')).toEqual(before);
    expect(await restarted.find('run-2')).toEqual({});
    await restarted.close();
  });

  it('a damaged key is left as it is, and the others are changed', async () => {
    const path = place();
    const [inUse, next] = [aMasterKey(), aMasterKey()];
    const store = SqliteKeyStore.open({ path, masterKey: inUse });
    const sound = await store.create('run-1');
    await store.create('run-2');
    await store.close();
    const database = openDatabase(path);
    database.exec("UPDATE stream_keys SET outcome = randomblob(60) WHERE stream = 'run-2'");
    database.close();
    expect(await changeMasterKey({ path, inUse, next })).toEqual({ rewrapped: 1, damaged: ['run-2'] });
    // Given again, it has nothing left to do.
    expect(await changeMasterKey({ path, inUse, next })).toEqual({ rewrapped: 0, damaged: [] });
    await expect(changeMasterKey({ path, inUse, next: aMasterKey() })).rejects.toMatchObject({ fault: 'wrong' });
    const changed = SqliteKeyStore.open({ path, masterKey: next });
    expect(await changed.find('run-1')).toEqual(sound);
    await changed.close();
  });

  it('SEA-4 goes on after kills at any moment, beside a service that serves all the while', async () => {
    const data = place();
    const service = await startAsking(data);
    const waiting = await startedRun(service, 'the-same-request');
    const store = SqliteKeyStore.open({ path: join(data, 'keys.sqlite'), masterKey: keyIn(join(data, 'master.key')) });
    await Promise.all(Array.from({ length: 12_000 }, (_, index) => store.create(`run-filler-${index}`)));
    await store.close();
    const old = readFileSync(join(data, 'master.key'), 'utf8');

    let kills = 0;
    // While it starts, then ever further on; the last one may go on to its end.
    for (const killed of [{ killAfterMs: 300 }, { killAtLine: 1 }, { killAtLine: 1 }, { killAtLine: 2 }, {}]) {
      const { code, err } = await holdpoint(data, ['rotate-master-key'], killed);
      expect(await answeredRun(service, await startedRun(service))).toMatchObject({ status: 'completed' });
      if (code === 0) break;
      expect({ code, err: err.replace(/\d+ streams\n/g, '') }).toEqual({ code: null, err: '' });
      kills += 1;
    }

    expect(kills).toBeGreaterThan(1);
    expect(readFileSync(join(data, 'master.key'), 'utf8')).not.toBe(old);
    expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600);
    expect(filesIn(data).filter((file) => file.startsWith('master.key'))).toEqual(['master.key']);
    expect(await startedRun(service, 'the-same-request')).toBe(waiting);
    await service.stop();
    expect(await holdpoint(data, ['verify'])).toMatchObject({ code: 0, report: { faults: [] } });
    const restarted = await Service.start({ dataDir: data, env: { HOLDPOINT_DEMO: '1' } });
    expect(await startedRun(restarted, 'the-same-request')).toBe(waiting);
    expect(await answeredRun(restarted, waiting)).toMatchObject({ status: 'completed' });
    await restarted.stop();
  });

  it('SEA-4 takes both keys from the environment where the master key comes from there', async () => {
    const data = place();
    const [inUse, next] = [MasterKey.generate(), MasterKey.generate()];
    const both = { HOLDPOINT_MASTER_KEY: inUse, HOLDPOINT_MASTER_KEY_NEXT: next };
    const service = await startAsking(data, both);
    const waiting = await startedRun(service);
    const alone = await holdpoint(data, ['rotate-master-key'], { env: { HOLDPOINT_MASTER_KEY: inUse } });
    expect(alone).toMatchObject({ code: 3, err: expect.stringContaining('HOLDPOINT_MASTER_KEY_NEXT') });
    expect(await holdpoint(data, ['rotate-master-key'], { env: both })).toMatchObject({ code: 0 });
    expect(await answeredRun(service, waiting)).toMatchObject({ status: 'completed' });
    await service.stop();
    const stale = await failedStart({ dataDir: data, env: { HOLDPOINT_MASTER_KEY: inUse } });
    expect(stale).toMatchObject({ code: 1, output: expect.stringContaining('not the one') });
    expect(await holdpoint(data, ['verify'], { env: { HOLDPOINT_MASTER_KEY: next } })).toMatchObject({ code: 0 });
  });

  function keyIn(file: string): MasterKey {
    return MasterKey.parse(readFileSync(file, 'utf8').trim(), file);
  }
});
