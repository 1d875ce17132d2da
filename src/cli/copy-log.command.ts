import { DATA_FILES } from '../config/data-files.js';
import { ConnectionStringInvalid } from '../event-store/kurrentdb/connection-string.js';
import { KeyImport } from '../event-store/kurrentdb/key-import.js';
import { KurrentDbConnection } from '../event-store/kurrentdb/kurrentdb-connection.js';
import { KurrentDbEventStore } from '../event-store/kurrentdb/kurrentdb-event-store.js';
import { LogSource } from '../event-store/sqlite/log-source.js';
import { SqliteKeyStore } from '../event-store/sqlite/sqlite-key-store.js';
import { type WrappedKey, WrappedKeySource } from '../event-store/sqlite/wrapped-key-source.js';
import { DatabaseUnavailable } from '../sqlite/errors.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import { CannotRun, UsageMistake } from './failures.js';
import { appendMissing, compareWithSource } from './log-copy.js';

export const COPY_LOG: Command = {
  name: 'copy-log',
  usage: 'copy-log --to esdb://…',
  summary: 'copies the log and its keys to a KurrentDB cluster, and compares the copy',
  help: `Copies log and keys of a stopped service to KurrentDB: every event with its id, type, data and metadata at its own
revision, in the order of the log; every key as it is wrapped. What was erased stays so. The files here stay as they are.

No service may have the data folder open, and none may be started on the cluster before the copy is whole. A copy that was
cut short goes on when the command is run again. A cluster that has other data of Holdpoint is refused, before anything is
written. At the end everything is read back and compared.

  --to STRING   where the cluster is: the connection string that HOLDPOINT_STORE will have`,
  options: { to: { type: 'string' } },
  arguments: [0, 0],
  run: copyLog,
};

/** How many keys are on their way at once. */
const KEYS_AT_ONCE = 16;
const TOLD_EVERY = 1_000;

async function copyLog({ data, options, progress }: CommandContext): Promise<CommandOutcome> {
  const { to } = options;
  if (to === undefined) throw new UsageMistake('Name the cluster with --to.');
  data.assertFiles();
  data.assertReady('log', 'keys');
  const masterKeys = data.masterKeys();
  const log = openedAlone(data.file('log'));
  try {
    // As a service does at its start: a file of an earlier version gets what it does not have yet.
    await SqliteKeyStore.open({ path: data.file('keys'), masterKey: masterKeys }).close();
    const keys = WrappedKeySource.open(data.file('keys'), masterKeys);
    try {
      if (keys.isChanging()) throw new CannotRun('The master key is being changed: finish rotate-master-key first.');
      const connection = connected(to);
      try {
        return await copied(log, keys, connection, progress);
      } finally {
        await connection.close();
      }
    } finally {
      keys.close();
    }
  } finally {
    log.close();
  }
}

/** @throws {CannotRun} */
function openedAlone(path: string): LogSource {
  try {
    return LogSource.open(path);
  } catch (failure) {
    if (!(failure instanceof DatabaseUnavailable && failure.reason === 'busy')) throw failure;
    throw new CannotRun(
      `Another process has ${DATA_FILES.log} open. Stop every service on this data folder first: what it accepts from now on would not be in the copy.`,
    );
  }
}

/** @throws {UsageMistake} Its message repeats nothing of the string, which has a password. */
function connected(to: string): KurrentDbConnection {
  try {
    return KurrentDbConnection.open(to);
  } catch (failure) {
    if (failure instanceof ConnectionStringInvalid) throw new UsageMistake(`--to: ${failure.message}`);
    throw failure;
  }
}

async function copied(
  log: LogSource,
  keys: WrappedKeySource,
  connection: KurrentDbConnection,
  progress: CommandContext['progress'],
): Promise<CommandOutcome> {
  const target = new KurrentDbEventStore({ connection });
  const keysThere = new KeyImport(connection);
  await keysThere.assertMasterKey(keys.masterKey);
  progress(`looking at what is in ${connection.description}`);
  await assertKeysOfThis(keys, keysThere);
  const before = await compareWithSource(log, target, progress);
  if (before.events > 0) progress(`${before.events} events are there already`);
  await keysThere.mark(keys.masterKey);
  await keysThere.keepServiceKeys(keys.serviceKeys());
  const { kept, erased } = await copyKeys(keys, keysThere, progress);
  const appended = await appendMissing(log, target, before, progress);
  progress('reading the copy back');
  await assertKeysOfThis(keys, keysThere);
  const after = await compareWithSource(log, target, progress);
  const source = log.count();
  const whole = after.events === source.events && after.streams.size === source.streams;
  const { events, digest } = after;
  return {
    faulty: !whole,
    report: { events, streams: after.streams.size, appended, keys: kept, keysErased: erased, digest, source },
    lines: [
      `${appended} events were copied now; ${events} events in ${after.streams.size} streams are there.`,
      `${kept} keys are there as they are wrapped here; ${erased} are erased here and there.`,
      `Read back and compared, event by event: SHA-256 ${digest}`,
      whole
        ? 'The copy is whole. Start services with HOLDPOINT_STORE, and none on the files here any more.'
        : `FAULT: there are ${source.events} events in ${source.streams} streams here.`,
    ],
  };
}

/** @throws {CannotRun} the cluster has keys that are not of this log. */
async function assertKeysOfThis(keys: WrappedKeySource, there: KeyImport): Promise<void> {
  if (!(await there.mayHaveServiceKeys(keys.serviceKeys(), keys.masterKey))) throw keyDiffers(there.serviceStream);
  for await (const { keyStream, stream, scope, wrapped } of there.kept()) {
    const own = keys.find(stream, scope);
    // One that was erased since is removed there, too.
    if (own === undefined || !(own.wrapped?.equals(wrapped) ?? true)) throw keyDiffers(keyStream);
  }
}

function keyDiffers(keyStream: string): CannotRun {
  return new CannotRun(
    `The stream ${keyStream} in the cluster has another key than the one here, or it was erased there.`,
  );
}

/** Before the events that they seal, as everywhere. */
async function copyKeys(keys: WrappedKeySource, there: KeyImport, progress: CommandContext['progress']) {
  let [kept, erased] = [0, 0];
  const copy = async ({ stream, scope, wrapped }: WrappedKey) => {
    if (wrapped === null) await there.destroy(stream, scope);
    else if (!(await there.keep(stream, scope, wrapped))) throw keyDiffers(there.keyStreamOf(stream, scope));
    if (wrapped === null) erased += 1;
    else kept += 1;
    if ((kept + erased) % TOLD_EVERY === 0) progress(`${kept + erased} keys copied`);
  };
  let some: WrappedKey[] = [];
  for (const key of keys.keys()) {
    some.push(key);
    if (some.length < KEYS_AT_ONCE) continue;
    await Promise.all(some.map(copy));
    some = [];
  }
  await Promise.all(some.map(copy));
  return { kept, erased };
}
