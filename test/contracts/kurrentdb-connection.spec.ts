import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { BEGINNING } from '../../src/event-store/event-store.js';
import { ConnectionStringInvalid, parseConnectionString } from '../../src/event-store/kurrentdb/connection-string.js';
import { KurrentDbConnection } from '../../src/event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../../src/event-store/kurrentdb/kurrentdb-event-store.js';
import { aKind, anEvent, caughtUp, ids } from '../support/event-samples.js';
import { EventStoreDouble } from '../support/eventstore-double/eventstore-double.js';
import { selfSignedCertificate } from '../support/eventstore-double/self-signed-certificate.js';
import { scratchFolder } from '../support/scratch-folder.js';

describe('A connection string', () => {
  it('names a host, who calls, and by default an encrypted connection', () => {
    const settings = parseConnectionString('esdb://admin:changeit@store.example');
    expect(settings).toMatchObject({ hosts: [{ address: 'store.example', port: 2113 }], discovers: false, tls: true });
    expect(settings.credentials?.username).toBe('admin');
    expect(settings.credentials?.password).toBe('changeit');
  });

  it('may name several hosts, or one name for a cluster; both are asked who leads', () => {
    const several = parseConnectionString('kurrentdb://node1:2111,node2:2112,[::1]/?tls=false');
    expect(several.discovers).toBe(true);
    expect(several.hosts).toEqual([
      { address: 'node1', port: 2111 },
      { address: 'node2', port: 2112 },
      { address: '[::1]', port: 2113 },
    ]);
    expect(parseConnectionString('esdb+discover://cluster.example?tls=false').discovers).toBe(true);
  });

  it('takes a password with any characters, those of its own syntax percent-encoded', () => {
    const { credentials } = parseConnectionString('esdb://ops:p:w%2Fd@%40%3F@host');
    expect(credentials?.password).toBe('p:w/d@@?');
  });

  it('takes the options of other clients, whatever their case', () => {
    expect(
      parseConnectionString(
        'esdb://a:b@h?tls=true&tlsCAFile=%2Fca.crt&connection-name=holdpoint&DefaultDeadline=5000&keepAliveInterval=-1' +
          '&keepAliveTimeout=20000&discoveryInterval=50&maxDiscoverAttempts=7&gossipTimeout=1&nodePreference=Leader' +
          '&tlsVerifyCert=true&throwOnAppendFailure=true&userCertFile=c&userKeyFile=k',
      ),
    ).toMatchObject({
      tlsCaFile: '/ca.crt',
      connectionName: 'holdpoint',
      deadlineMs: 5_000,
      keepAliveIntervalMs: -1,
      keepAliveTimeoutMs: 20_000,
      discoveryIntervalMs: 50,
      maxDiscoverAttempts: 7,
      gossipTimeoutSeconds: 1,
      userCertFile: 'c',
      userKeyFile: 'k',
    });
  });

  it.each([
    ['http://user:secret@host', 'has the form'],
    ['esdb://user:sec/ret@host', 'has the form'],
    ['esdb://secret', 'needs a user and a password'],
    ['esdb://secret@host', 'stand user and password'],
    ['esdb://:secret@host', 'stand user and password'],
    ['esdb://user:secret@', 'a host is'],
    ['esdb://user:secret@host:0', 'a host is'],
    ['esdb://user:secret@host:65536', 'a host is'],
    ['esdb://user:secret@ho st', 'a host is'],
    ['esdb://user:secret%@host', 'has to be written %25'],
    ['esdb://user:?secret@host', 'a host is'],
    ['esdb://user:x@host?secret=true', 'option 1 is not one of'],
    ['esdb://user:x@host?tls=true&secret', 'option 2 is not one of'],
    ['esdb://user:secret@host?tls=yes', 'tls is true or false'],
    ['esdb://user:secret@host?tlsVerifyCert=false', 'certificates are always verified'],
    ['esdb://user:secret@host?nodePreference=follower', 'nodePreference can only be leader'],
    ['esdb://user:secret@host?throwOnAppendFailure=false', 'throwOnAppendFailure has to be true'],
    ['esdb://user:secret@host?defaultDeadline=0', 'defaultDeadline is a whole number of at least 1'],
    ['esdb://user:secret@host?gossipTimeout=1.5', 'gossipTimeout is a whole number'],
    ['esdb://user:secret@host?userCertFile=x', 'only go together'],
  ])('that is wrong (%s) is refused by a sentence that repeats nothing of it', (text, reason) => {
    const parse = () => parseConnectionString(text);
    expect(parse).toThrow(ConnectionStringInvalid);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow(/secret|sec\/ret/);
  });

  it('that names a certificate which cannot be read is refused before anything is sent', () => {
    expect(() => KurrentDbConnection.open('esdb://a:b@h?tlsCAFile=/no/such/file')).toThrow(
      'the file that tlsCAFile names cannot be read: ENOENT',
    );
  });
});

describe('An encrypted connection', () => {
  const folder = scratchFolder();
  const caFile = join(folder.path, 'ca.crt');
  const opened: KurrentDbEventStore[] = [];
  let double: EventStoreDouble;

  const connect = (user: string, options = `tlsCAFile=${caFile}`) =>
    KurrentDbConnection.open(`esdb://${user}@localhost:${double.port}?${options}`);
  const open = (user: string, options?: string) => {
    const store = new KurrentDbEventStore({ connection: connect(user, options) });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    const certificate = selfSignedCertificate();
    writeFileSync(caFile, certificate.certificate);
    double = await EventStoreDouble.start(certificate);
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(async () => {
    await double.stop();
    folder.remove();
  });

  it('says who calls, in every kind of call', async () => {
    const store = open('admin:changeit');
    const stream = `${aKind()}1`;
    const event = anEvent();
    await store.append(stream, 'no_stream', [event]);
    expect(ids(await store.read(stream))).toEqual([event.id]);
    expect(ids((await caughtUp(store, { after: BEGINNING, prefixes: [stream] })).events)).toEqual([event.id]);
    expect(await store.head()).toBeGreaterThan(BEGINNING);
    await store.deleteStream(stream);
    expect(await store.read(stream)).toEqual([]);
  });

  it('finds the leader of a cluster as well', async () => {
    const connection = KurrentDbConnection.open(
      `esdb+discover://admin:changeit@localhost:${double.port}?tlsCAFile=${caFile}`,
    );
    const store = new KurrentDbEventStore({ connection });
    opened.push(store);
    expect(await store.append(`${aKind()}1`, 'no_stream', [anEvent()])).toMatchObject({ revision: 0 });
  });

  it('is not made with a server that nobody vouches for', async () => {
    await expect(open('admin:changeit', 'tls=true').head()).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });

  it('gives a user who is no administrator everything but the whole log', async () => {
    const store = open('writer:p%3Aw%2Fd');
    const stream = `${aKind()}1`;
    await store.append(stream, 'no_stream', [anEvent()]);
    expect(await store.read(stream)).toHaveLength(1);
    await expect(store.head()).rejects.toThrow('denies access');
    await expect(caughtUp(store, { after: BEGINNING, prefixes: [stream] })).rejects.toThrow('denies access');
  });

  it('shows the password nowhere: not in an error, nor in any object, nor on the console', async () => {
    const secret = 'f0rbidden';
    const printed: unknown[] = [];
    const print = (...what: unknown[]) => printed.push(...what) > 0;
    const spies = [
      jest.spyOn(process.stderr, 'write').mockImplementation(print as never),
      jest.spyOn(process.stdout, 'write').mockImplementation(print as never),
      jest.spyOn(console, 'warn').mockImplementation(print as never),
      jest.spyOn(console, 'log').mockImplementation(print as never),
    ];
    const connection = connect(`admin:${secret}`);
    const store = new KurrentDbEventStore({ connection });
    opened.push(store);
    const results = await Promise.allSettled([
      store.append(`${aKind()}1`, 'no_stream', [anEvent()]),
      store.read(`${aKind()}1`),
      store.head(),
      store.deleteStream(`${aKind()}1`),
    ]);
    for (const spy of spies) spy.mockRestore();

    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const shown = [connection, connection.callOptions, store, ...errors].map((value) => inspect(value, { depth: 20 }));
    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toMatchObject({ name: 'StoreUnavailable', outcomeUnknown: false });
    const text = `${shown.join()} ${JSON.stringify(errors)} ${connection.description} ${printed.join()}`;
    for (const form of [secret, Buffer.from(`admin:${secret}`).toString('base64')]) expect(text).not.toContain(form);
    expect(connection.description).toBe(`localhost:${double.port} over TLS`);
  });
});
