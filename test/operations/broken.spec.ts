import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { compileOnBuild } from '../support/compiled-processes.js';
import { failedStart } from '../support/failed-start.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

jest.setTimeout(90_000);

/** What becomes of a service whose files are damaged, missing, full or not to be written. */
describe('a service on something broken', () => {
  const folder = scratchFolder();
  const data = join(folder.path, 'data');
  const env = { HOLDPOINT_DEMO: '1' };
  let first: string;
  let second: string;

  beforeAll(async () => {
    const service = await startAsking(data);
    first = await startedRun(service);
    second = await startedRun(service);
    await service.stop();
  });
  afterAll(() => folder.remove());

  function copied(name: string): string {
    const copy = join(folder.path, name);
    cpSync(data, copy, { recursive: true });
    return copy;
  }

  it('SEA-4 does not start on a log without its keys, nor on a file that is no database, and says which', async () => {
    const copy = copied('no-keys');
    renameSync(join(copy, 'keys.sqlite'), join(folder.path, 'keys-taken-away'));
    const withoutKeys = await failedStart({ dataDir: copy, env });
    expect(withoutKeys).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^HOLDPOINT_DATA_DIR must have the keys/),
    });
    renameSync(join(folder.path, 'keys-taken-away'), join(copy, 'keys.sqlite'));
    for (const file of ['events.sqlite', 'keys.sqlite']) {
      const path = join(copy, file);
      const bytes = readFileSync(path);
      writeFileSync(path, Buffer.concat([Buffer.alloc(100, 0x5a), bytes.subarray(100)]));
      const { code, output } = await failedStart({ dataDir: copy, env });
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringContaining(`${file} is unavailable: the file is damaged`),
      });
      writeFileSync(path, bytes);
    }
  });

  it('goes on with the others when one run cannot be read, and with that one when it is put right', async () => {
    const copy = copied('one-run');
    const database = openDatabase(join(copy, 'events.sqlite'));
    const flip = (from: string, to: string) =>
      database.exec(`UPDATE events SET type = '${to}' WHERE stream = 'run-${first}' AND type = '${from}'`);
    flip('RunClaimed', 'RunClaimee');
    const service = await Service.start({ dataDir: copy, env });
    expect((await service.call('GET', `/runs/${first}/pause`)).status).toBeGreaterThanOrEqual(400);
    expect(await answeredRun(service, second)).toMatchObject({ status: 'completed' });
    expect(await answeredRun(service, await startedRun(service))).toMatchObject({ status: 'completed' });
    flip('RunClaimee', 'RunClaimed');
    database.close();
    expect(await answeredRun(service, first)).toMatchObject({ status: 'completed' });
    await service.stop();
  });

  it('has lost nothing but what was not acknowledged when the end of the write-ahead log is cut off', async () => {
    const copy = copied('cut');
    const service = await Service.start({ dataDir: copy, env });
    await startedRun(service);
    await service.kill();
    const log = join(copy, 'events.sqlite-wal');
    expect(statSync(log).size).toBeGreaterThan(2_000);
    truncateSync(log, statSync(log).size - 1_000);
    // What follows the log may have got further than the log now is, so it begins anew.
    for (const file of ['read-models', 'audit', 'records', 'erasures', 'due', 'subscribers']) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(copy, `${file}.sqlite${suffix}`), { force: true });
    }
    const restarted = await Service.start({ dataDir: copy, env });
    expect(await answeredRun(restarted, first)).toMatchObject({ status: 'completed' });
    await restarted.stop();
    expect((await holdpoint(copy, ['verify'])).report.faults).toEqual([]);
  });

  it('refuses what it cannot store while the disk is full, and goes on by itself when there is space', async () => {
    const copy = copied('full');
    const service = await Service.start({ dataDir: copy, env });
    const space = (bytes: string) => execFileSync('prlimit', ['--pid', `${service.pid}`, `--fsize=${bytes}:`]);
    // No file may grow beyond this size: what a write meets is what a full disk gives it.
    space('1');
    const refused = await service.call('POST', '/runs', { configurationId: 'asking', input: 'go' });
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 503, code: 'store-unavailable' });
    expect((await service.call('GET', `/runs/${first}`)).status).toBe(200);
    space('unlimited');
    expect(await answeredRun(service, first)).toMatchObject({ status: 'completed' });
    expect(await answeredRun(service, await startedRun(service))).toMatchObject({ status: 'completed' });
    await service.stop();
    expect((await holdpoint(copy, ['verify'])).report.faults).toEqual([]);
  });

  it('CLM-6 loses and doubles nothing while SQLite finds no room in any of its files, and says why it is not ready', async () => {
    const copy = copied('no-room');
    const programs = join(folder.path, 'programs');
    const program = compileOnBuild(programs, 'service-that-fills-up');
    const service = await Service.start({ dataDir: copy, env, program });
    const said = (word: string) => service.output.includes(`files are ${word}`);
    const room = async (word: 'full' | 'free') => {
      process.kill(service.pid, 'SIGWINCH');
      while (!said(word)) await service.call('GET', '/me');
    };
    const ready = () => service.request('GET', '/health/ready', { token: null });
    const started = new Map<string, string>();
    const start = async (key: string) => {
      const request = { configurationId: 'asking', input: 'x'.repeat(30_000) };
      const answer = await service.call('POST', '/runs', request, { 'idempotency-key': key });
      if (answer.status === 202) started.set(key, answer.body.id);
      return answer;
    };
    await room('full');
    // What is left in the last pages is used up first; then everything is refused.
    let refused = 'key-0';
    for (let count = 0; (await start(refused)).status === 202; count += 1) refused = `key-${count + 1}`;
    expect(await start(refused)).toMatchObject({ status: 503, body: { code: 'store-unavailable' } });
    expect(await ready()).toMatchObject({
      status: 503,
      body: {
        code: 'not-ready',
        checks: { store: 'up', writes: 'down' },
        because: expect.arrayContaining([expect.stringContaining('the disk may be full')]),
      },
    });
    const { status, body: waiting } = await service.call('GET', `/runs/${first}`);
    expect([status, waiting.status]).toEqual([200, 'waiting_for_input']);
    const answer = { turnDigest: waiting.pause.turnDigest, data: { date: '2030-05-02', slot: 'morning', floor: 3 } };
    const answered = await service.call('POST', `/runs/${first}/input`, answer);
    expect([202, 503]).toContain(answered.status);

    await room('free');
    const again = await start(refused);
    expect(again.status).toBe(202);
    expect((await start(refused)).body.id).toBe(again.body.id);
    expect((await ready()).status).toBe(200);
    await service.call('POST', `/runs/${first}/input`, answer, { prefer: 'wait=30' });
    for (const runId of [first, second]) {
      if (runId === second) await answeredRun(service, second);
      const { body: run } = await service.call('GET', `/runs/${runId}`);
      expect(run.status).toBe('completed');
      const { items } = (await service.call('GET', `/runs/${runId}/events`)).body;
      expect(items.filter(({ type }: { type: string }) => type === 'InputSubmitted')).toHaveLength(1);
      expect(items.filter(({ type }: { type: string }) => type === 'ToolCallCompleted')).toHaveLength(1);
    }
    for (const [key, runId] of started) expect((await start(key)).body.id).toBe(runId);
    await service.stop();
    expect((await holdpoint(copy, ['verify'])).report.faults).toEqual([]);
  });

  it('SEA-3 restores read models that are damaged or gone by itself', async () => {
    const copy = copied('read-models');
    const path = join(copy, 'read-models.sqlite');
    writeFileSync(path, Buffer.alloc(8_192, 0x5a));
    rmSync(join(copy, 'due.sqlite'));
    const service = await Service.start({ dataDir: copy, env });
    expect(await answeredRun(service, first)).toMatchObject({ status: 'completed' });
    await service.stop();
  });

  it('two services on one folder serve the same runs', async () => {
    const copy = copied('shared');
    const services = await Promise.all([Service.start({ dataDir: copy, env }), Service.start({ dataDir: copy, env })]);
    const [one, other] = services as [Service, Service];
    const runId = await startedRun(one);
    expect(await answeredRun(other, runId)).toMatchObject({ status: 'completed' });
    expect(await answeredRun(one, first)).toMatchObject({ status: 'completed' });
    await Promise.all(services.map((service) => service.stop()));
  });

  it('does not start in a folder that it may not write', async () => {
    const copy = copied('read-only');
    // Root may write everywhere, so it is somebody else's process that tries.
    const nobody = 65_534;
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${nobody}:${nobody}`, copy]);
    execFileSync('chmod', ['-R', 'a-w', copy]);
    chmodSync(folder.path, 0o755);
    const main = join(__dirname, '..', '..', 'dist', 'main.js');
    const asNobody = ['--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', process.execPath, main];
    const [program, args] = process.getuid?.() === 0 ? ['setpriv', asNobody] : [process.execPath, [main]];
    const ended = spawnSync(program, args, { env: { PATH: process.env.PATH, HOLDPOINT_DATA_DIR: copy, PORT: '0' } });
    const { status: code } = ended;
    const output = `${ended.stdout}${ended.stderr}`;
    expect(code).toBe(1);
    expect(output).toMatch(/keys\.sqlite|events\.sqlite|HOLDPOINT_DATA_DIR/);
    execFileSync('chmod', ['-R', 'u+w', copy]);
  });
});
