import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MasterKey } from '../../src/event-store/master-key.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';

jest.setTimeout(60_000);

/** What `holdpoint verify` says of a log, sound and damaged in one way each. */
describe('verifying a log', () => {
  const folder = scratchFolder();
  const sound = join(folder.path, 'sound');
  let damaged = 0;
  let waiting: string;
  let ended: string;

  beforeAll(async () => {
    const service = await startAsking(sound);
    waiting = await startedRun(service);
    ended = await startedRun(service);
    expect(await answeredRun(service, ended)).toMatchObject({ status: 'completed' });
    // Beside a service that runs.
    const { code, report } = await holdpoint(sound, ['verify']);
    expect({ code, ...report }).toMatchObject({ code: 0, ok: true, runs: 2, turnsRecomputed: 1, faults: [] });
    expect(report.sealsOpened + report.sealsErased).toBeGreaterThan(5);
    await service.stop();
  });
  afterAll(() => folder.remove());

  /** A copy of the sound data with statements executed on one of its files. */
  function damagedCopy(file: string, sql: string): string {
    damaged += 1;
    const copy = join(folder.path, `damaged-${damaged}`);
    cpSync(sound, copy, { recursive: true });
    const database = openDatabase(join(copy, file));
    database.exec(sql);
    database.close();
    return copy;
  }

  const ofRun = (runId: string) => `stream = 'run-${runId}'`;

  it('finds nothing in a sound one, and changes no byte of it', async () => {
    const bytes = () => ['events.sqlite', 'keys.sqlite'].map((name) => readFileSync(join(sound, name)));
    const before = bytes();
    expect((await holdpoint(sound, ['verify'])).code).toBe(0);
    expect(bytes()).toEqual(before);
  });

  it.each<[fault: string, file: string, sql: (runId: string) => string]>([
    [
      'seal',
      'events.sqlite',
      (id) =>
        `UPDATE events SET data = replace(data, '"sealed":"eyJ', '"sealed":"eyK') WHERE ${ofRun(id)} AND revision = 0`,
    ],
    [
      'not_json',
      'events.sqlite',
      (id) => `UPDATE events SET data = substr(data, 2) WHERE ${ofRun(id)} AND revision = 1`,
    ],
    [
      'schema',
      'events.sqlite',
      (id) => `UPDATE events SET data = replace(data, 'claimId', 'clajmId') WHERE ${ofRun(id)} AND revision = 1`,
    ],
    [
      'unknown_type',
      'events.sqlite',
      (id) => `UPDATE events SET type = 'RunClaimee' WHERE ${ofRun(id)} AND revision = 1`,
    ],
    ['revision_gap', 'events.sqlite', (id) => `DELETE FROM events WHERE ${ofRun(id)} AND revision = 1`],
    [
      'duplicate_id',
      'events.sqlite',
      (id) =>
        `UPDATE events SET id = (SELECT id FROM events WHERE ${ofRun(id)} AND revision = 0) WHERE ${ofRun(id)} AND revision = 1`,
    ],
    [
      'impossible_history',
      'events.sqlite',
      (id) =>
        `UPDATE events SET revision = 100 WHERE ${ofRun(id)} AND revision = 1; UPDATE events SET revision = 1 WHERE ${ofRun(id)} AND revision = 2; UPDATE events SET revision = 2 WHERE ${ofRun(id)} AND revision = 100`,
    ],
    [
      'digest_mismatch',
      'events.sqlite',
      (id) =>
        `UPDATE events SET data = json_set(data, '$.turnDigest', '${'0'.repeat(64)}') WHERE ${ofRun(id)} AND type = 'RunSuspendedForInput'`,
    ],
    ['key_missing', 'keys.sqlite', (id) => `UPDATE stream_keys SET working = zeroblob(60) WHERE ${ofRun(id)}`],
    ['key_damaged', 'keys.sqlite', (id) => `UPDATE stream_keys SET working = randomblob(60) WHERE ${ofRun(id)}`],
  ])('says %s of the one run that has it, and checks the others', async (fault, file, sql) => {
    const { code, report } = await holdpoint(damagedCopy(file, sql(waiting)), ['verify']);
    expect(code).toBe(1);
    expect(report.faults.map((found: { fault: string }) => found.fault)).toContain(fault);
    expect(report.damagedStreams).toEqual([`run-${waiting}`]);
    expect(report.runs).toBe(2);
  });

  it('says which pages are damaged, and reads what is on the others', async () => {
    const copy = damagedCopy('events.sqlite', 'PRAGMA wal_checkpoint(TRUNCATE)');
    const file = join(copy, 'events.sqlite');
    const bytes = readFileSync(file);
    // The page with the sealed messages of the first run.
    const page = Math.floor(bytes.indexOf(`run-${waiting}`) / 4096);
    bytes.fill(0x5a, page * 4096, page * 4096 + 100);
    writeFileSync(file, bytes);
    const { code, report } = await holdpoint(copy, ['verify']);
    expect(code).toBe(1);
    expect(report.faults.map((found: { fault: string }) => found.fault)).toContain('file_damaged');
  });

  it('SEA-4 cannot begin without the master key, with another, or without a log', async () => {
    const copy = damagedCopy('events.sqlite', 'SELECT 1');
    const wrong = await holdpoint(copy, ['verify'], { env: { HOLDPOINT_MASTER_KEY: MasterKey.generate() } });
    expect(wrong).toMatchObject({ code: 3, report: { ok: false, error: expect.stringContaining('not the one') } });
    rmSync(join(copy, 'master.key'));
    expect(await holdpoint(copy, ['verify'])).toMatchObject({ code: 3, err: expect.stringContaining('no master key') });
    rmSync(join(copy, 'events.sqlite'));
    expect(await holdpoint(copy, ['verify'])).toMatchObject({ code: 3, err: expect.stringContaining('events.sqlite') });
    expect(await holdpoint(join(folder.path, 'nowhere'), ['verify'])).toMatchObject({ code: 3 });
    expect(await holdpoint(copy, ['verify', 'twice'])).toMatchObject({ code: 2 });
    expect(await holdpoint(copy, ['verfy'])).toMatchObject({ code: 2 });
  });
});
