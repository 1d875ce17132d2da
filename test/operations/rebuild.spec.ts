import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { filesIn } from '../support/data-folder.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';
import type { Service } from '../support/service.js';

jest.setTimeout(60_000);

describe('rebuilding what follows the log', () => {
  const folder = scratchFolder();
  let service: Service;
  let waiting: string;

  beforeAll(async () => {
    service = await startAsking(folder.path);
    waiting = await startedRun(service);
  });
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  /** Executes SQL on a file while the service has it open. */
  function execute<Row>(file: string, sql: string): Row[] {
    const database = openDatabase(join(folder.path, file));
    try {
      return database.prepare<Row>(sql).all();
    } finally {
      database.close();
    }
  }

  const listed = async () =>
    (await service.call('GET', '/runs?limit=100')).body.items.map((run: { id: string }) => run.id);

  it('gives a service that serves the right rows again, and leaves out nothing that happens meanwhile', async () => {
    execute(
      'read-models.sqlite',
      `UPDATE runs SET status = 'failed', waiting_since = NULL WHERE run_id = '${waiting}'`,
    );
    execute('due.sqlite', "INSERT INTO due VALUES ('nobody', 'somebody', 0, 0, 0, 0)");
    expect((await service.call('GET', '/inbox')).body.items).toHaveLength(0);
    let stop = false;
    const done: string[] = [];
    const load = (async () => {
      while (!stop) {
        const runId = await startedRun(service);
        expect(await answeredRun(service, runId)).toMatchObject({ status: 'completed' });
        done.push(runId);
      }
    })();

    const { code, report } = await holdpoint(folder.path, ['rebuild']);

    stop = true;
    await load;
    expect(code).toBe(0);
    const rebuilt: { name: string; outcome: string }[] = report.rebuilt;
    expect(rebuilt.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'runs rebuilt',
      'audit rebuilt',
      'records rebuilt',
      'erasures rebuilt',
      'due rebuilt',
    ]);
    expect(done.length).toBeGreaterThan(0);
    expect((await service.call('GET', '/inbox')).body.items).toHaveLength(1);
    expect(new Set(await listed())).toEqual(new Set([waiting, ...done]));
    for (const runId of done) {
      expect((await service.call('GET', `/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
    }
    expect(filesIn(folder.path).filter((file) => file.includes('rebuild'))).toEqual([]);
    expect(execute('due.sqlite', "SELECT * FROM due WHERE run_id = 'nobody'")).toEqual([]);
    // The same service goes on with the rebuilt rows.
    expect(await answeredRun(service, await startedRun(service))).toMatchObject({ status: 'completed' });
  });

  it('shows what was parked and takes it in when it can be read again, at once', async () => {
    const runId = await startedRun(service);
    const [event] = execute<{ position: number; data: string }>(
      'events.sqlite',
      `SELECT position, data FROM events WHERE stream = 'run-${runId}' AND type = 'RunSuspendedForInput'`,
    );
    expect(await holdpoint(folder.path, ['parked', 'list'])).toMatchObject({ code: 0, report: { parked: [] } });
    // As an event that this version cannot read, and that the next one can.
    execute('events.sqlite', `UPDATE events SET type = 'RunPaused' WHERE position = ${event?.position}`);
    const stopped = await holdpoint(folder.path, ['rebuild', 'runs']);
    expect(stopped).toMatchObject({
      code: 1,
      report: { rebuilt: [{ outcome: 'stopped', event: { stream: `run-${runId}`, errorClass: 'unknown_type' } }] },
    });
    // The rows stay as they were, and the due table parks the event instead.
    expect(await listed()).toContain(runId);
    expect(await holdpoint(folder.path, ['rebuild', 'due'])).toMatchObject({ code: 0 });
    expect(execute('due.sqlite', 'SELECT stream FROM parked')).toEqual([]);
    park('due', runId, event?.position as number);
    park('runs', runId, event?.position as number);
    const { code, report } = await holdpoint(folder.path, ['parked', 'list']);
    expect(code).toBe(1);
    expect(report.parked.map((one: { name: string }) => one.name)).toEqual(['runs', 'due']);
    expect(await holdpoint(folder.path, ['parked', 'retry', 'runs'])).toMatchObject({
      code: 1,
      report: { stillParked: [`run-${runId}`] },
    });

    execute('events.sqlite', `UPDATE events SET type = 'RunSuspendedForInput' WHERE position = ${event?.position}`);
    for (const name of ['runs', 'due']) {
      expect(await holdpoint(folder.path, ['parked', 'retry', name])).toMatchObject({
        code: 0,
        report: { mended: [`run-${runId}`] },
      });
    }
    expect(await holdpoint(folder.path, ['parked', 'list'])).toMatchObject({ code: 0 });
    expect(await answeredRun(service, runId)).toMatchObject({ status: 'completed' });
  });

  function park(consumer: string, runId: string, position: number): void {
    const file = consumer === 'due' ? 'due.sqlite' : 'read-models.sqlite';
    execute(
      file,
      `INSERT INTO parked VALUES ('${consumer}', ${position}, 'run-${runId}', 3, 'RunPaused', 'unknown_type',
        '2030-01-01T00:00:00.000Z')`,
    );
  }

  it('has a subscriber try again through the service that delivers to it', async () => {
    execute(
      'subscribers.sqlite',
      `INSERT INTO parked VALUES ('key-destroyer', 1, 'run-of-nobody', 0, 'RunContentErased', 'Error', '2030-01-01T00:00:00.000Z')`,
    );
    expect(await holdpoint(folder.path, ['parked', 'retry', 'nobody'])).toMatchObject({ code: 2 });
    expect(await holdpoint(folder.path, ['parked', 'retry', 'key-destroyer'])).toMatchObject({ code: 0 });
    // Of a stream that is gone there is nothing to deliver: it is forgotten when the service has tried.
    while (execute('subscribers.sqlite', 'SELECT * FROM parked').length > 0) await sleep(200);
  });

  it('says in sentences what it did not do, and which names there are', async () => {
    const tool = (...args: string[]) => holdpoint(folder.path, args);
    expect(await tool('erase', 'nobody-started-it')).toMatchObject({
      code: 3,
      report: { ok: false, error: 'There is no run nobody-started-it; nothing was erased.' },
    });
    expect(await tool('erase', waiting)).toMatchObject({
      code: 3,
      report: { error: expect.stringMatching(/waiting_for_input.*cancel it first\. Nothing was erased\.$/) },
    });
    expect(await tool('parked', 'retry', 'nobody')).toMatchObject({
      code: 2,
      report: { error: expect.stringMatching(/^There is no "nobody" to retry; there are runs, audit, .*due/) },
    });
  });

  it('does not touch a file that is damaged', async () => {
    await service.stop();
    const file = join(folder.path, 'read-models.sqlite');
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 0, 100);
    writeFileSync(file, bytes);
    expect(await holdpoint(folder.path, ['rebuild', 'runs'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('read-models.sqlite is damaged'),
    });
    // The next start makes it anew by itself.
    service = await startAsking(folder.path);
    expect((await service.call('GET', '/inbox')).body.items).toHaveLength(1);
  });
});
