import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_SCOPES, keyId } from '../../src/event-store/key-store.js';
import { MasterKey } from '../../src/event-store/master-key.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { SqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { type History, readHistory } from '../histories/history-file.js';
import { compileOnBuild, compilePrograms, nextMessage, startProgram } from '../support/compiled-processes.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

jest.setTimeout(120_000);

const OLD = ['run-started-1-waiting-for-input', 'run-started-1-waiting-for-approval'] as const;
const TODAY = [
  'waiting-for-input',
  'waiting-for-approval',
  'released-to-its-pause',
  'completed-after-two-pauses',
] as const;

/** What older code left in a data folder, and what newer code did, as this code finds it when it is started there. */
describe('a service that is started on the log of another version', () => {
  const folder = scratchFolder();
  const data = join(folder.path, 'data');
  const masterKey = MasterKey.generate();
  const histories = [...OLD, ...TODAY].map((name) => [name, readHistory(name)] as const);
  const runOf = (name: string) => histories.find(([other]) => other === name)?.[1].runId as string;
  let ledger: ChildProcess;
  let service: Service;

  beforeAll(async () => {
    await writeLog();
    compilePrograms(join(folder.path, 'plain'), 'ledger');
    ledger = startProgram(join(folder.path, 'plain'), 'ledger');
    const program = compileOnBuild(join(folder.path, 'built'), 'service-with-ledger-tools');
    const env = { LEDGER: await nextMessage<string>(ledger), HOLDPOINT_MASTER_KEY: masterKey };
    service = await Service.start({ dataDir: data, program, env });
    // The runs of the histories have scripts of their own, which end where the histories do.
    const provider = { kind: 'scripted', turns: [] };
    const configuration = { provider, trustZone: 'local', systemPrompt: 'be kind', snippetIds: ['house'] };
    expect((await service.call('PUT', '/configurations/conf', configuration)).status).toBeLessThan(300);
    await writeNewerEvents();
  });
  afterAll(async () => {
    await service?.stop();
    ledger?.kill('SIGKILL');
    folder.remove();
  });

  /** The histories byte by byte, in a real log beside real keys. */
  async function writeLog(): Promise<void> {
    mkdirSync(data);
    const store = SqliteEventStore.open({ path: join(data, 'events.sqlite') });
    for (const [, { events }] of histories) {
      const known = new Set<string>();
      for (const stream of new Set(events.map((event) => event.stream))) {
        if ((await store.read(stream)).length > 0) known.add(stream);
      }
      for (const { stream, ...event } of events) {
        // What surrounds the runs is in every history, and in the log once.
        if (known.has(stream)) continue;
        const { length } = await store.read(stream);
        await store.append(stream, length === 0 ? 'no_stream' : length - 1, [event]);
      }
    }
    await store.close();
    await writeKeys(histories.map(([, history]) => history));
  }

  /**
   * As a process of the next version might write them beside this one: a type that is not known here, and a known one in
   * a newer shape.
   */
  async function writeNewerEvents(): Promise<void> {
    const store = SqliteEventStore.open({ path: join(data, 'events.sqlite') });
    for (const name of ['waiting-for-approval', 'released-to-its-pause']) {
      const stored = await store.read(`run-${runOf(name)}`);
      const last = stored[stored.length - 1];
      if (last === undefined) throw new Error('a history has events');
      const { id: _id, type, data, metadata } = last;
      const newer =
        name === 'waiting-for-approval'
          ? { type: 'RunReconsidered', data, metadata }
          : { type, data, metadata: JSON.stringify({ ...JSON.parse(metadata), schemaVersion: 99 }) };
      await store.append(last.stream, last.revision, [{ id: crypto.randomUUID(), ...newer }]);
    }
    await store.close();
  }

  async function writeKeys(all: readonly History[]): Promise<void> {
    const key = MasterKey.parse(masterKey, 'this test');
    const path = join(data, 'keys.sqlite');
    await SqliteKeyStore.open({ path, masterKey: key }).close();
    const database = openDatabase(path);
    const insert = database.prepare(
      'INSERT INTO stream_keys (stream, made_at, used, working, outcome) VALUES (?, 0, 1, ?, ?) ON CONFLICT DO NOTHING',
    );
    for (const [stream, scopes] of all.flatMap(({ keys }) => Object.entries(keys))) {
      const wrapped = KEY_SCOPES.map((scope) =>
        key.wrap(Buffer.from(scopes[scope] ?? '', 'base64'), keyId(stream, scope)),
      );
      insert.run(stream, ...wrapped);
    }
    database.close();
  }

  async function answered(runId: string) {
    const { body: run } = await service.call('GET', `/runs/${runId}`);
    const turnDigest = run.pause?.turnDigest;
    const answer =
      run.pause?.kind === 'input'
        ? service.call('POST', `/runs/${runId}/input`, { turnDigest, data: { amount: 8 } }, { prefer: 'wait=30' })
        : service.call('POST', `/runs/${runId}/approval`, { turnDigest, approved: true }, { prefer: 'wait=30' });
    return answer;
  }

  it.each([...OLD, 'waiting-for-input'])('SRC-5 goes on with %s, once it is answered', async (name) => {
    const { status, body } = await answered(runOf(name));
    expect([status, body.status, body.outcome]).toEqual([
      200,
      'completed',
      expect.objectContaining({ content: 'done' }),
    ]);
  });

  it('shows what was completed before it', async () => {
    const { body } = await service.call('GET', `/runs/${runOf('completed-after-two-pauses')}`);
    expect(body).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'done' } });
  });

  it.each([
    ['waiting-for-approval', 'unknown_type'],
    ['released-to-its-pause', 'unknown_version'],
  ])('decides nothing on %s, of which a newer version wrote an event, and says so', async (name, fault) => {
    const runId = runOf(name);
    const before = (await service.call('GET', `/runs/${runId}`)).body;
    const { status, body } = await answered(runId);
    expect([status, body.code]).toEqual([500, expect.any(String)]);
    expect((await service.call('GET', `/runs/${runId}`)).body).toMatchObject({ revision: before.revision });
    expect((await service.call('POST', `/runs/${runId}/cancel`)).status).toBe(500);
    expect(service.output).toContain(fault);
    const { code, report } = await holdpoint(data, ['verify'], { env: { HOLDPOINT_MASTER_KEY: masterKey } });
    expect(code).toBe(1);
    expect(report.faults).toContainEqual(expect.objectContaining({ stream: `run-${runId}`, fault }));
    expect(report.damagedStreams).toHaveLength(2);
  });
});
