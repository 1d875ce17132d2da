import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DESTROYED } from '../../src/event-store/sqlite/key-rows.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { filesIn } from '../support/data-folder.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

jest.setTimeout(60_000);

describe('a backup', () => {
  const folder = scratchFolder();
  const data = join(folder.path, 'data');
  const whole = join(folder.path, 'whole');
  let waiting: string;
  let ended: string;
  let restored = 0;

  afterAll(() => folder.remove());

  /** An empty data folder, with the master key where it was put back first. */
  function emptyFolder(masterKey = true): string {
    restored += 1;
    const path = join(folder.path, `restored-${restored}`);
    mkdirSync(path);
    if (masterKey) cpSync(join(data, 'master.key'), join(path, 'master.key'));
    return path;
  }

  function wrappedKey(file: string, runId: string): Buffer {
    const database = openDatabase(file, { readOnly: true });
    const sql = 'SELECT outcome FROM stream_keys WHERE stream = ?';
    const row = database.prepare<{ outcome: Uint8Array }>(sql).get(`run-${runId}`);
    database.close();
    return Buffer.from(row?.outcome ?? []);
  }

  it('is made while runs are started and answered, and every run in it goes on from where it was', async () => {
    const service = await startAsking(data);
    waiting = await startedRun(service);
    ended = await startedRun(service);
    await answeredRun(service, ended);
    let stop = false;
    let begun = 0;
    const load = (async () => {
      for (; !stop; begun += 1) await answeredRun(service, await startedRun(service));
    })();

    const made = await holdpoint(data, ['backup', whole]);

    stop = true;
    await load;
    expect(made).toMatchObject({ code: 0, report: { ok: true, head: expect.stringMatching(/^\d+$/) } });
    expect(begun).toBeGreaterThan(0);
    expect(filesIn(whole)).toEqual([
      'keys/keys.sqlite',
      'keys/manifest.json',
      'log/events.sqlite',
      'log/manifest.json',
      'log/subscribers.sqlite',
    ]);
    for (const file of filesIn(whole)) expect(statSync(join(whole, file)).mode & 0o077).toBe(0);
    await service.stop();

    const target = emptyFolder();
    expect(await holdpoint(target, ['restore', whole])).toMatchObject({ code: 0, report: { withoutKeys: [] } });
    expect(await holdpoint(target, ['verify'])).toMatchObject({
      code: 0,
      report: { head: made.report.head, faults: [] },
    });
    const second = await Service.start({ dataDir: target, env: { HOLDPOINT_DEMO: '1' } });
    expect(await answeredRun(second, waiting)).toMatchObject({ status: 'completed', outcome: { content: 'the end' } });
    await second.stop();
  });

  it('is refused where its folder holds something, and by a restore into one that does', async () => {
    expect(await holdpoint(data, ['backup', whole])).toMatchObject({
      code: 3,
      err: expect.stringContaining('not empty'),
    });
    const before = filesIn(data);
    expect(await holdpoint(data, ['restore', whole])).toMatchObject({
      code: 3,
      err: expect.stringContaining('not empty'),
    });
    expect(filesIn(data)).toEqual(before);
    expect(await holdpoint(data, ['backup'])).toMatchObject({ code: 2 });
  });

  it('is not restored when a byte of it was changed, or when it is not whole', async () => {
    const changed = join(folder.path, 'changed');
    cpSync(whole, changed, { recursive: true });
    const log = join(changed, 'log', 'events.sqlite');
    const bytes = readFileSync(log);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] as number) ^ 1;
    writeFileSync(log, bytes);
    const target = emptyFolder();
    const refused = await holdpoint(target, ['restore', changed]);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('checksum differs') });
    expect(filesIn(target)).toEqual(['master.key']);

    rmSync(join(changed, 'log', 'manifest.json'));
    expect(await holdpoint(target, ['restore', changed])).toMatchObject({ code: 3 });
    const swapped = ['restore', '--log', join(whole, 'keys'), '--keys', join(whole, 'log')];
    expect(await holdpoint(target, swapped)).toMatchObject({ code: 3, err: expect.stringContaining('not the log') });
    expect(filesIn(target)).toEqual(['master.key']);
  });

  it('SEA-3 has erased again what the log says is erased, when keys of an older backup come back', async () => {
    const kept = wrappedKey(join(whole, 'keys', 'keys.sqlite'), ended);
    const erased = await holdpoint(data, ['erase', ended, '--scope', 'outcome']);
    expect(erased).toMatchObject({ code: 0, report: { erased: ['outcome'] } });
    const later = join(folder.path, 'later');
    expect(await holdpoint(data, ['backup', later])).toMatchObject({ code: 0 });
    const target = emptyFolder();

    // In the older keys the erased run still opens: that is why they are kept apart from the log.
    const parts = ['--log', join(later, 'log'), '--keys', join(whole, 'keys')];
    const { report } = await holdpoint(target, ['restore', ...parts]);

    expect(report.erasedAgain).toBeGreaterThan(0);
    const file = join(target, 'keys.sqlite');
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(wrappedKey(file, ended)).toEqual(Buffer.from(DESTROYED));
    expect(kept).toHaveLength(DESTROYED.length);
    expect(readFileSync(file).includes(kept)).toBe(false);
    const { report: verified } = await holdpoint(target, ['verify']);
    expect(verified.erasuresOutstanding).toBe(0);
    const faulty: string[] = verified.damagedStreams;
    // Runs that are younger than those keys have lost their content; nothing else is wrong.
    expect(faulty.every((stream) => report.withoutKeys.includes(stream))).toBe(true);
  });

  it('SEA-3 erases nothing of a run that is not settled or not there', async () => {
    expect(await holdpoint(data, ['erase', waiting])).toMatchObject({
      code: 3,
      err: expect.stringContaining('has not ended'),
    });
    expect(await holdpoint(data, ['erase', 'f'.repeat(32)])).toMatchObject({ code: 3 });
    expect(await holdpoint(data, ['erase', ended, '--scope', 'some'])).toMatchObject({ code: 2 });
    expect(await holdpoint(data, ['erase', ended])).toMatchObject({ code: 0 });
  });

  it('says which runs have lost their content when the keys are older than the log', async () => {
    const service = await Service.start({ dataDir: data, env: { HOLDPOINT_DEMO: '1' } });
    const young = await startedRun(service);
    const after = join(folder.path, 'after');
    await holdpoint(data, ['backup', after]);
    await service.stop();
    const target = emptyFolder(false);
    const parts = ['--log', join(after, 'log'), '--keys', join(whole, 'keys')];
    const { code, report } = await holdpoint(target, ['restore', ...parts]);
    expect(code).toBe(1);
    expect(report.withoutKeys).toContain(`run-${young}`);
    expect(report.withoutKeys).not.toContain(`run-${waiting}`);
  });
});
