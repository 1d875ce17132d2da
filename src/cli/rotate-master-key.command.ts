import type { MasterKey } from '../event-store/master-key.js';
import { adoptNextKeyFile, loadMasterKey, makeNextKeyFile, nextMasterKey } from '../event-store/master-key-file.js';
import { changeMasterKey } from '../event-store/sqlite/master-key-change.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import type { DataFolder } from './data-folder.js';
import { CannotRun } from './failures.js';
import { connectionTo } from './log-ports.js';

export const ROTATE_MASTER_KEY: Command = {
  name: 'rotate-master-key',
  usage: 'rotate-master-key [--json]',
  summary: 'wraps all keys anew with another master key, while services go on',
  help: `Wraps the keys of all streams with a new master key. Services go on meanwhile; a change that was stopped at any
point goes on where it was when the command is given again.

A master key in the data folder is replaced by a new one. A master key of the environment is changed in three steps:
start every process with HOLDPOINT_MASTER_KEY_NEXT beside HOLDPOINT_MASTER_KEY; run this command with both; start every
process with the new one as HOLDPOINT_MASTER_KEY, alone.

With a log on a server it is changed in the same three steps, at every node; where nodes have it in a file, the next one stands
beside it as master.key.next. What the old key wrapped leaves the server's disk when that is scavenged.

Backups of keys that were made before still need the old master key.`,
  arguments: [0, 0],
  run: rotate,
};

async function rotate(context: CommandContext): Promise<CommandOutcome> {
  const { data, progress } = context;
  data.assertReady('keys');
  if (data.server !== undefined) return await rotateOnServer(data, data.server, progress);
  const source = data.masterKeySource;
  const ofEnvironment = source.fromEnvironment !== undefined;
  const inUse = loadMasterKey(source);
  const next = ofEnvironment ? nextMasterKey(source) : makeNextKeyFile(source.file);
  if (next === undefined) {
    throw new CannotRun(
      'The master key comes from the environment: set HOLDPOINT_MASTER_KEY_NEXT to the new one, for every process and for this command.',
    );
  }
  const onProgress = (rewrapped: number) => progress(`${rewrapped} streams`);
  const { rewrapped, damaged } = await changeMasterKey({ path: data.file('keys'), inUse, next, onProgress });
  if (!ofEnvironment) adoptNextKeyFile(source.file);
  const now = ofEnvironment
    ? 'Start every process with the new key as HOLDPOINT_MASTER_KEY, and without HOLDPOINT_MASTER_KEY_NEXT.'
    : `The new master key is in ${source.file}; back it up.`;
  return {
    faulty: damaged.length > 0,
    report: { rewrapped, damagedStreams: damaged, masterKey: ofEnvironment ? 'environment' : source.file },
    lines: [
      `The keys of ${rewrapped} streams are wrapped anew.`,
      now,
      ...damaged.map((stream) => `FAULT ${stream}: key_damaged (no master key unwraps it; left as it is)`),
    ],
  };
}

/** Every node has to have the next key before this one begins, so none is made here, and none is put in its place. */
async function rotateOnServer(
  data: DataFolder,
  server: string,
  progress: CommandContext['progress'],
): Promise<CommandOutcome> {
  const source = data.masterKeySource;
  const inUse = loadMasterKey(source);
  const next = nextMasterKey(source);
  if (next === undefined) {
    throw new CannotRun(
      'Give every node the next master key beside the one in use first, by HOLDPOINT_MASTER_KEY_NEXT or as master.key.next, and this command as well.',
    );
  }
  const { rewrapped, damaged } = await changedOnServer(server, inUse, next, progress);
  return {
    faulty: damaged.length > 0,
    report: { rewrapped, damagedStreams: damaged, masterKey: 'every node' },
    lines: [
      `${rewrapped} keys are wrapped anew.`,
      'Start every node with the new key as its master key, alone, and scavenge the server.',
      ...damaged.map((stream) => `FAULT ${stream}: key_damaged (no master key unwraps it; left as it is)`),
    ],
  };
}

async function changedOnServer(
  server: string,
  inUse: MasterKey,
  next: MasterKey,
  progress: CommandContext['progress'],
) {
  const change = await import('../event-store/kurrentdb/master-key-change.js');
  const connection = await connectionTo(server);
  try {
    const onProgress = (rewrapped: number) => progress(`${rewrapped} keys`);
    return await change.changeMasterKey({ connection, inUse, next, onProgress });
  } finally {
    await connection.close();
  }
}
