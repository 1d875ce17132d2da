import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MasterKey } from '../../src/event-store/master-key.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';

jest.setTimeout(60_000);

const PAGE_BYTES = 4_096;

/** What `holdpoint verify` says of a log, sound and damaged. */
describe('verifying a log', () => {
  const folder = scratchFolder();
  const sound = join(folder.path, 'sound');
  let copies = 0;
  const asking: string[] = [];

  beforeAll(async () => {
    const service = await startAsking(sound);
    for (let run = 0; run < 12; run += 1) asking.push(await startedRun(service));
    const ended = await startedRun(service);
    expect(await answeredRun(service, ended)).toMatchObject({ status: 'completed' });
    // Beside a service that runs.
    const { code, report } = await holdpoint(sound, ['verify']);
    expect({ code, ...report }).toMatchObject({ code: 0, ok: true, runs: 13, turnsRecomputed: 12, faults: [] });
    expect(report.sealsOpened + report.sealsErased).toBeGreaterThan(5);
    await service.stop();
  });
  afterAll(() => folder.remove());

  function copied(): string {
    copies += 1;
    const copy = join(folder.path, `copy-${copies}`);
    cpSync(sound, copy, { recursive: true });
    return copy;
  }

  function execute(file: string, sql: string): void {
    const database = openDatabase(file);
    database.exec(sql);
    database.close();
  }

  it('finds nothing in a sound one, and changes no byte of it', async () => {
    const bytes = () => ['events.sqlite', 'keys.sqlite'].map((name) => readFileSync(join(sound, name)));
    const before = bytes();
    expect((await holdpoint(sound, ['verify'])).code).toBe(0);
    expect(bytes()).toEqual(before);
  });

  it('says of each damaged run what is wrong with it, and checks the others', async () => {
    const ofRun = (index: number) => `stream = 'run-${asking[index]}'`;
    const event = (index: number, revision: number) => `${ofRun(index)} AND revision = ${revision}`;
    const zeros = '0'.repeat(64);
    const damage: Readonly<Record<string, readonly [file: 'events' | 'keys', sql: (run: number) => string]>> = {
      seal: [
        'events',
        (run) => `UPDATE events SET data = replace(data, '"sealed":"eyJ', '"sealed":"eyK') WHERE ${event(run, 0)}`,
      ],
      not_json: ['events', (run) => `UPDATE events SET data = substr(data, 2) WHERE ${event(run, 1)}`],
      schema: [
        'events',
        (run) => `UPDATE events SET data = replace(data, 'claimId', 'clajmId') WHERE ${event(run, 1)}`,
      ],
      unknown_type: ['events', (run) => `UPDATE events SET type = 'RunClaimee' WHERE ${event(run, 1)}`],
      revision_gap: ['events', (run) => `DELETE FROM events WHERE ${event(run, 1)}`],
      duplicate_id: [
        'events',
        (run) => `UPDATE events SET id = (SELECT id FROM events WHERE ${event(run, 0)}) WHERE ${event(run, 1)}`,
      ],
      impossible_history: [
        'events',
        (run) => `UPDATE events SET revision = 99 WHERE ${event(run, 1)};
          UPDATE events SET revision = 1 WHERE ${event(run, 2)}; UPDATE events SET revision = 2 WHERE ${event(run, 99)}`,
      ],
      digest_mismatch: [
        'events',
        (run) => `UPDATE events SET data = json_set(data, '$.turnDigest', '${zeros}')
          WHERE ${ofRun(run)} AND type = 'RunSuspendedForInput'`,
      ],
      key_missing: ['keys', (run) => `UPDATE stream_keys SET working = zeroblob(60) WHERE ${ofRun(run)}`],
      key_damaged: ['keys', (run) => `UPDATE stream_keys SET working = randomblob(60) WHERE ${ofRun(run)}`],
    };
    const copy = copied();
    for (const name of ['events', 'keys'] as const) {
      const statements = Object.values(damage).map(([file, sql], run) => (file === name ? sql(run) : ''));
      execute(join(copy, `${name}.sqlite`), statements.join(';'));
    }

    const { code, report } = await holdpoint(copy, ['verify']);

    expect(code).toBe(1);
    const found: { stream: string; fault: string }[] = report.faults;
    const faultsOf = (run: number) =>
      found.filter(({ stream }) => stream === `run-${asking[run]}`).map((one) => one.fault);
    for (const [run, fault] of Object.keys(damage).entries()) expect(faultsOf(run)).toContain(fault);
    const kinds = Object.keys(damage).length;
    expect(new Set(report.damagedStreams)).toEqual(new Set(asking.slice(0, kinds).map((id) => `run-${id}`)));
    // Those two whose fault is not in the turn itself still have its digest.
    expect(report).toMatchObject({ runs: asking.length + 1, turnsRecomputed: asking.length - kinds + 2 });
  });

  it('says which pages are damaged, and reads what is on the others', async () => {
    const copy = copied();
    execute(join(copy, 'events.sqlite'), 'PRAGMA wal_checkpoint(TRUNCATE)');
    const file = join(copy, 'events.sqlite');
    const bytes = readFileSync(file);
    // The head of the page on which the first run's messages are.
    const page = Math.floor(bytes.lastIndexOf(pieceOf(join(copy, 'events.sqlite'), asking[0] as string)) / PAGE_BYTES);
    bytes.fill(0x5a, page * PAGE_BYTES, page * PAGE_BYTES + 8);
    writeFileSync(file, bytes);

    const { code, report } = await holdpoint(copy, ['verify']);

    expect(code).toBe(1);
    const faults: { fault: string; stream: string }[] = report.faults;
    expect(faults.map(({ fault }) => fault)).toContain('file_damaged');
    expect(faults).toContainEqual(expect.objectContaining({ fault: 'pages_damaged', stream: `run-${asking[0]}` }));
    // A page holds events of a few streams; all others are read.
    expect(report.damagedStreams.length).toBeLessThan(6);
    expect(report.turnsRecomputed).toBeGreaterThan(6);
  });

  function pieceOf(file: string, runId: string): string {
    const database = openDatabase(file, { readOnly: true });
    const sql = 'SELECT substr(data, -60) AS piece FROM events WHERE stream = ? AND revision = 0';
    const piece = database.prepare<{ piece: string }>(sql).get(`run-${runId}`)?.piece;
    database.close();
    return piece as string;
  }

  it('SEA-4 cannot begin without the master key, with another, or without a log', async () => {
    const copy = copied();
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
