import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyImport } from '../../src/event-store/kurrentdb/key-import.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { KurrentDbKeyStore } from '../../src/event-store/kurrentdb/kurrentdb-key-store.js';
import { MasterKey } from '../../src/event-store/master-key.js';
import { answeredRun, startAsking, startedRun } from '../support/asking-service.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');
const FIRST_KEY = Buffer.alloc(32, 4).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 6).toString('base64');
const ENV = { HOLDPOINT_MASTER_KEY: MASTER_KEY };
const ANSWER = { date: '2030-05-02', slot: 'morning', floor: 3 };
const RUNS = 12;

/*
 * A log on SQLite with everything that may be in one, whose master key was changed once, copied to the double of KurrentDB by the tool as it is built.
 */
describe('copy-log', () => {
  const folder = scratchFolder();
  const data = join(folder.path, 'data');
  const doubles: EventStoreDouble[] = [];
  const services: Service[] = [];
  let there: EventStoreDouble;
  let waiting: string;
  let ended: string;
  let erased: string;
  let seen: unknown;
  let file: string;

  beforeAll(async () => {
    const service = await startAsking(data, { HOLDPOINT_MASTER_KEY: FIRST_KEY });
    services.push(service);
    waiting = await startedRun(service, 'the-same-request');
    ended = await startedRun(service);
    await answeredRun(service, ended);
    erased = await startedRun(service);
    await answeredRun(service, erased);
    await Promise.all(Array.from({ length: RUNS }, async () => answeredRun(service, await startedRun(service))));
    there = await aDouble();
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all(doubles.map((double) => double.stop()));
    folder.remove();
  });

  async function aDouble(): Promise<EventStoreDouble> {
    const double = await EventStoreDouble.start();
    doubles.push(double);
    return double;
  }

  const copyTo = (double: EventStoreDouble, more: Parameters<typeof holdpoint>[2] = {}) =>
    // Where the password is in no list of processes.
    holdpoint(data, ['copy-log'], {
      ...more,
      env: { ...ENV, ...more.env, HOLDPOINT_COPY_TO: double.connectionString },
    });

  function digest(): string {
    return createHash('sha256')
      .update(readFileSync(join(data, 'events.sqlite')))
      .digest('hex');
  }

  async function inCluster<T>(
    double: EventStoreDouble,
    use: (store: KurrentDbEventStore, connection: KurrentDbConnection) => Promise<T>,
  ): Promise<T> {
    const connection = KurrentDbConnection.open(double.connectionString);
    try {
      return await use(new KurrentDbEventStore({ connection }), connection);
    } finally {
      await connection.close();
    }
  }

  /** Resolves when the copy has got so far. */
  const hasCome = (stream: string, length: number) =>
    inCluster(there, async (store) => {
      while ((await store.read(stream)).length < length);
    });

  const headOf = (double: EventStoreDouble) => inCluster(double, (store) => store.head());

  /** What people see, without what says when and where it was read. */
  async function seenOn(service: Service): Promise<unknown> {
    const get = async (path: string) => (await service.call('GET', path)).body;
    const list = await get('/runs?limit=100');
    const timelines = await Promise.all([waiting, ended, erased].map((runId) => get(`/runs/${runId}/events`)));
    const audit = await get('/audit?limit=100');
    // Places in the log are others in another log: cursors, and the ids of audit entries.
    const isPlace = (key: string, member: unknown) =>
      key === 'position' || /ursor|^next$/.test(key) || (key === 'id' && /^\d+$/.test(String(member)));
    const strip = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, member) => (isPlace(key, member) ? undefined : member)));
    return strip({ list, timelines, audit });
  }

  /** Its read models are built from the copy. */
  async function untilReady(service: Service): Promise<void> {
    const before = seen as { list: { items: unknown[] }; audit: { items: unknown[] } };
    for (let asked = 0; asked < 2_000; asked += 1) {
      const { items } = (await service.call('GET', '/runs?limit=100')).body;
      const audit = (await service.call('GET', '/audit?limit=100')).body.items;
      const isErased = items.some((run: { id: string; erased?: object }) => run.id === erased && run.erased);
      if (isErased && items.length === before.list.items.length && audit.length === before.audit.items.length) return;
    }
    throw new Error('the read models do not come to the end of the log');
  }

  it('refuses while a service has the log open, before it asks the cluster anything', async () => {
    const refused = await copyTo(there, { env: { HOLDPOINT_MASTER_KEY: FIRST_KEY } });
    expect(refused).toMatchObject({
      code: 3,
      report: { ok: false, error: expect.stringContaining('has events.sqlite open') },
    });
    expect(await headOf(there)).toBe(-1n);
  });

  it('is killed at any moment and run again, and goes on without doubling anything', async () => {
    await services[0]?.stop();
    const env = { HOLDPOINT_MASTER_KEY: FIRST_KEY, HOLDPOINT_MASTER_KEY_NEXT: MASTER_KEY };
    expect(await holdpoint(data, ['rotate-master-key'], { env })).toMatchObject({ code: 0 });
    await holdpoint(data, ['erase', erased], { env: ENV });
    const again = await Service.start({ dataDir: data, env: { HOLDPOINT_DEMO: '1', ...ENV } });
    seen = await seenOn(again);
    await again.stop();
    file = digest();

    // Among the keys, and twice among the events.
    await there.breaks({ delayMs: 15 });
    for (const [stream, length] of [
      [`workingkey-run-${waiting}`, 1],
      [`run-${waiting}`, 2],
      [`run-${erased}`, 3],
    ] as const) {
      const killed = await copyTo(there, { killWhen: hasCome(stream, length) });
      expect(killed.code).toBeNull();
    }
    await there.heals();
    const whole = await copyTo(there);

    expect(whole).toMatchObject({ code: 0, report: { ok: true } });
    const { events, streams, source, keysErased } = whole.report;
    expect({ events, streams }).toEqual(source);
    expect(whole.report.appended).toBeGreaterThan(0);
    expect(whole.report.appended).toBeLessThan(events);
    // Both keys of the erased run, the working ones of none other.
    expect(keysErased).toBe(2);
    const once = await copyTo(there);
    expect(once.report).toMatchObject({ ok: true, appended: 0, events, digest: whole.report.digest });
    expect(digest()).toBe(file);
  });

  it('has a service on the copy show the same, and go on from there', async () => {
    const env = { HOLDPOINT_STORE: there.connectionString, HOLDPOINT_DEMO: '1', ...ENV };
    const service = await Service.start({ dataDir: join(folder.path, 'node'), env });
    services.push(service);

    await untilReady(service);
    expect(await seenOn(service)).toEqual(seen);

    expect((await service.call('GET', `/runs/${erased}`)).body).toMatchObject({
      status: 'completed',
      erased: { working: true, outcome: true },
    });
    expect(await startedRun(service, 'the-same-request')).toBe(waiting);
    const timeline = (await service.call('GET', `/runs/${ended}/events`)).body.items;
    const turnDigest = timeline.find(({ type }: { type: string }) => type === 'InputSubmitted').turnDigest;
    const replayed = await service.call('POST', `/runs/${ended}/input`, { turnDigest, data: ANSWER });
    expect(replayed.body).toMatchObject({ submission: 'replayed' });
    expect((await answeredRun(service, waiting)).status).toBe('completed');
  });

  it('refuses a cluster in which a service has gone on, and names the stream', async () => {
    const head = await headOf(there);
    const refused = await copyTo(there);
    expect(refused).toMatchObject({
      code: 3,
      report: { error: expect.stringMatching(/^The stream \S+ in the cluster is not a copy/) },
    });
    expect(await headOf(there)).toBe(head);
  });

  it('refuses a cluster with another’s data or another’s keys, and writes nothing', async () => {
    const other = await aDouble();
    const event = { id: '6f5b0d5e-8a51-4a05-9a1b-0d6c2f3a9b11', type: 'Other', data: '{}', metadata: '{}' };
    await inCluster(other, (store) => store.append('configuration-other', 'no_stream', [event]));
    const head = await headOf(other);
    expect((await copyTo(other)).report.error).toContain('configuration-other');
    expect(await headOf(other)).toBe(head);

    const third = await aDouble();
    await inCluster(third, (_store, connection) =>
      new KeyImport(connection).keep(`run-${waiting}`, 'working', Buffer.alloc(60, 1)),
    );
    expect((await copyTo(third)).report.error).toContain(`workingkey-run-${waiting}`);

    // A node that was started there by mistake has made keys of its own for the service.
    const fourth = await aDouble();
    await inCluster(fourth, (_store, connection) =>
      KurrentDbKeyStore.open({ connection, masterKey: MasterKey.parse(MASTER_KEY, 'test') }),
    );
    expect((await copyTo(fourth)).report.error).toContain('keystore-service');
  });

  it('SEA-4 refuses another master key, here and there', async () => {
    const other = await aDouble();
    const here = await copyTo(other, { env: { HOLDPOINT_MASTER_KEY: OTHER_KEY } });
    expect(here).toMatchObject({ code: 3, report: { error: expect.stringContaining('master key') } });
    expect(await headOf(other)).toBe(-1n);
    await inCluster(other, (_store, connection) =>
      KurrentDbKeyStore.open({ connection, masterKey: MasterKey.parse(OTHER_KEY, 'test') }),
    );
    const head = await headOf(other);
    expect((await copyTo(other)).report.error).toContain('wrapped by another master key');
    expect(await headOf(other)).toBe(head);
  });

  it('repeats nothing of a connection string that cannot be used', async () => {
    const wrong = await holdpoint(data, ['copy-log', '--to', 'esdb://ann:geheim@'], { env: ENV });
    expect(wrong.code).toBe(2);
    expect(wrong.out + wrong.err).not.toContain('geheim');
    expect((await holdpoint(data, ['copy-log'], { env: ENV })).code).toBe(2);
  });
});
