import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { MasterKey } from '../../src/event-store/master-key.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { answeredRun, startedRun } from '../support/asking-service.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { failedStart } from '../support/failed-start.js';
import { holdpoint, type ToolRun } from '../support/holdpoint-tool.js';
import type { Service } from '../support/service.js';
import { KurrentDbUnderTest } from '../support/store-under-test.js';

jest.setTimeout(120_000);

/** The operator's tool where the log and the keys are on a server, beside two nodes that run. */
describe('the operator’s tool with a log on a server', () => {
  let double: EventStoreDouble;
  let store: KurrentDbUnderTest;
  let nodes: readonly [Service, Service];
  const next = MasterKey.generate();

  const nodeEnv = { HOLDPOINT_DEMO: '1', HOLDPOINT_MASTER_KEY_NEXT: next };
  const dataDir = () => store.place(0).dataDir;
  const tool = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ToolRun> =>
    holdpoint(dataDir(), args, { env: { ...store.env, ...env } });

  beforeAll(async () => {
    double = await EventStoreDouble.start();
    store = new KurrentDbUnderTest(double.connectionString, double);
    nodes = [await store.startNode(nodeEnv, { node: 0 }), await store.startNode(nodeEnv, { node: 1 })];
    const ask = { toolName: 'ask_delivery_window', arguments: { orderId: '1' } };
    const provider = { kind: 'scripted', turns: [{ calls: [ask] }, { text: 'the end' }] };
    await nodes[0].call('PUT', '/configurations/asking', { provider, trustZone: 'local' });
  });
  afterAll(() => store.remove());

  it('SEA-4 does nothing on a server without a log of Holdpoint’s, with another master key or without one', async () => {
    const empty = await EventStoreDouble.start();
    const elsewhere = await tool(['verify'], { HOLDPOINT_STORE: empty.connectionString });
    expect(elsewhere).toMatchObject({ code: 3, err: expect.stringContaining('holds no keys of Holdpoint') });
    const { append } = await empty.calls();
    expect(append).toBeUndefined();
    await empty.stop();
    const wrong = await tool(['verify'], { HOLDPOINT_MASTER_KEY: MasterKey.generate() });
    expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('not the one') });
    expect(await tool(['verify'], { HOLDPOINT_MASTER_KEY: '' })).toMatchObject({
      code: 3,
      err: expect.stringContaining('no master key'),
    });
    const secret = await tool(['verify'], { HOLDPOINT_STORE: 'esdb://admin:s3cret@' });
    expect(secret).toMatchObject({ code: 3, err: expect.stringMatching(/^HOLDPOINT_STORE: /) });
    expect(secret.err + secret.out).not.toContain('s3cret');
  });

  it.each(['backup', 'restore'])('says what to do instead of `holdpoint %s`', async (command) => {
    const { code, err } = await tool([command, join(store.folder, 'copy')]);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("the server's own backup and restore") });
    expect(existsSync(join(store.folder, 'copy'))).toBe(false);
  });

  it('rebuild and parked work on what the node of this folder keeps, from the log of the server', async () => {
    const waiting = await startedRun(nodes[0]);
    const readModels = join(dataDir(), 'kurrentdb', 'read-models.sqlite');
    execute(readModels, `UPDATE runs SET status = 'failed', waiting_since = NULL WHERE run_id = '${waiting}'`);
    expect((await nodes[0].call('GET', `/runs/${waiting}`)).body.status).toBe('failed');
    const { code, report } = await tool(['rebuild']);
    const rebuilt: { name: string; outcome: string }[] = report.rebuilt;
    expect(code).toBe(0);
    expect(rebuilt.map(({ name }) => name)).toEqual(expect.arrayContaining(['runs', 'audit', 'erasures', 'due']));
    expect(new Set(rebuilt.map(({ outcome }) => outcome))).toEqual(new Set(['rebuilt']));
    // The same process goes on with the rebuilt rows.
    expect(await answeredRun(nodes[0], waiting)).toMatchObject({ status: 'completed' });
    expect(await tool(['parked', 'list'])).toMatchObject({ code: 0, report: { parked: [] } });
    expect(await tool(['parked', 'retry', 'runs'])).toMatchObject({ code: 0, report: { mended: [] } });
  });

  function execute(file: string, sql: string): void {
    const database = openDatabase(file);
    database.exec(sql);
    database.close();
  }

  it('verify reads every stream and key, writes nothing, and says of each damaged run what is wrong with it', async () => {
    const waiting = [await startedRun(nodes[0]), await startedRun(nodes[1]), await startedRun(nodes[0])];
    expect(await answeredRun(nodes[1], await startedRun(nodes[0]))).toMatchObject({ status: 'completed' });
    const before = await store.logAndKeys();
    const sound = await tool(['verify']);
    expect({ code: sound.code, ...sound.report }).toMatchObject({
      code: 0,
      ok: true,
      runs: 5,
      turnsRecomputed: 3,
      faults: [],
    });
    expect(sound.report.sealsOpened).toBeGreaterThan(5);
    expect(await store.logAndKeys()).toEqual(before);

    const [keyless, removed, truncated] = waiting.map((id) => `run-${id}`) as [string, string, string];
    const connection = KurrentDbConnection.open(double.connectionString);
    const { client, callOptions } = connection;
    await client.tombstoneStream(`workingkey-${keyless}`, callOptions);
    await client.deleteStream(removed, callOptions);
    await client.setStreamMetadata(truncated, { truncateBefore: 1 }, callOptions);
    await connection.close();
    const damaged = await tool(['verify']);
    expect(damaged.code).toBe(1);
    const faults = new Set(
      damaged.report.faults.map((one: { stream: string; fault: string }) => `${one.stream} ${one.fault}`),
    );
    expect(faults).toEqual(
      new Set([
        `${keyless} key_missing`,
        `${removed} stream_removed`,
        `${truncated} revision_gap`,
        `${truncated} impossible_history`,
      ]),
    );
    expect(damaged.report.turnsRecomputed).toBe(0);
  });

  it('SEA-2 SEA-3 erase destroys the keys of a settled run, for every node at once, and refuses one that still needs them', async () => {
    const waiting = await startedRun(nodes[0]);
    expect(await tool(['erase', waiting])).toMatchObject({ code: 3, err: expect.stringContaining('cancel it first') });
    expect(await answeredRun(nodes[0], waiting)).toMatchObject({ outcome: { content: 'the end' } });
    expect(await tool(['erase', waiting])).toMatchObject({ code: 0, report: { erased: ['working', 'outcome'] } });
    for (const node of nodes) {
      let erased: { outcome?: object } = {};
      // The read models of a node hear of it when they hear of it; the keys are gone by then.
      while (!('contentErased' in (erased.outcome ?? {}))) erased = (await node.call('GET', `/runs/${waiting}`)).body;
      expect(erased.outcome).not.toHaveProperty('content');
    }
    const ports = await store.openPorts();
    expect(await ports.keys.find(`run-${waiting}`)).toEqual({});
    await ports.close();
    expect(await tool(['erase', waiting])).toMatchObject({ code: 0 });
  });

  it('administrator lets somebody in on every node at once', async () => {
    const { code, report } = await tool(['administrator', 'rescue']);
    expect({ code, report }).toMatchObject({ code: 0, report: { changed: true } });
    for (const node of nodes) {
      const { body } = await node.request('GET', '/api/v1/me', { token: report.token });
      expect(body).toMatchObject({ id: 'rescue', admin: true });
    }
  });

  it('SEA-2 SEA-4 rotate-master-key wraps all keys anew beside nodes that serve, and the old key opens nothing more', async () => {
    const [one, other] = nodes;
    const waiting = await startedRun(one, 'the-same-request');
    expect(await tool(['rotate-master-key'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('HOLDPOINT_MASTER_KEY_NEXT'),
    });
    let rotating = true;
    const load = (async () => {
      while (rotating) expect(await answeredRun(other, await startedRun(one))).toMatchObject({ status: 'completed' });
    })();
    const rotated = await tool(['rotate-master-key'], { HOLDPOINT_MASTER_KEY_NEXT: next });
    rotating = false;
    await load;
    expect(rotated).toMatchObject({ code: 0, report: { damagedStreams: [] } });
    expect(rotated.report.rewrapped).toBeGreaterThan(5);
    // Nodes that have both go on, before and behind the mark.
    expect(await startedRun(one, 'the-same-request')).toBe(waiting);
    expect(await answeredRun(other, await startedRun(one))).toMatchObject({ status: 'completed' });
    const again = await tool(['rotate-master-key'], { HOLDPOINT_MASTER_KEY_NEXT: next });
    expect(again).toMatchObject({ code: 0, report: { rewrapped: 0 } });

    await one.stop();
    const stale = await failedStart(store.nodeOptions({}, { node: 0 }));
    expect(stale).toMatchObject({ code: 1, output: expect.stringContaining('not the one') });
    const restarted = await store.startNode({ HOLDPOINT_DEMO: '1', HOLDPOINT_MASTER_KEY: next }, { node: 0 });
    // Ids that are made from what a client sent stay what they were.
    expect(await startedRun(restarted, 'the-same-request')).toBe(waiting);
    expect(await answeredRun(restarted, waiting)).toMatchObject({
      status: 'completed',
      outcome: { content: 'the end' },
    });
  });
});
