import { adoptNextKeyFile, loadMasterKey, makeNextKeyFile, nextMasterKey } from '../event-store/master-key-file.js';
import { changeMasterKey } from '../event-store/sqlite/master-key-change.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import { CannotRun } from './failures.js';

export const ROTATE_MASTER_KEY: Command = {
  name: 'rotate-master-key',
  usage: 'rotate-master-key [--json]',
  summary: 'wraps all keys anew with another master key, while services go on',
  help: `Wraps the keys of all streams with a new master key. Services go on meanwhile; a change that was stopped at any
point goes on where it was when the command is given again.

A master key in the data folder is replaced by a new one. A master key of the environment is changed in three steps:
start every process with HOLDPOINT_MASTER_KEY_NEXT beside HOLDPOINT_MASTER_KEY; run this command with both; start every
process with the new one as HOLDPOINT_MASTER_KEY, alone.

Backups of keys that were made before still need the old master key.`,
  arguments: [0, 0],
  run: rotate,
};

async function rotate({ data, progress }: CommandContext): Promise<CommandOutcome> {
  data.assertReady('keys');
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
