import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../config/data-files.js';
import { eraseAgain } from '../event-store/sqlite/erase-again.js';
import { partsNamed } from './backup.command.js';
import { checkedPart, type Manifest } from './backup-manifest.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import type { DataFolder } from './data-folder.js';
import { CannotRun } from './failures.js';

export const RESTORE: Command = {
  name: 'restore',
  usage: 'restore DIR | restore --log DIR --keys DIR',
  summary: 'puts a backup into an empty data folder, and erases again what was erased',
  help: `Puts log and keys of a backup into a data folder that is empty, save for a master key. Checksums are compared before
anything is written. Keys that the log says are erased are destroyed again, wherever the keys come from; the two parts may
be of different backups, the keys of the younger one.

Read models and the due table are made anew at the next start.

  --log DIR    where the log's part is
  --keys DIR   where the keys' part is`,
  options: { log: { type: 'string' }, keys: { type: 'string' } },
  arguments: [0, 1],
  run: restore,
};

/** Files come here first, and get their places when all of them are whole. */
const STAGE = 'restoring';

async function restore(context: CommandContext): Promise<CommandOutcome> {
  const { data, progress } = context;
  data.assertFiles();
  const folders = partsNamed(context);
  mkdirSync(data.path, { recursive: true, mode: 0o700 });
  data.assertReady();
  assertEmpty(data);
  progress('comparing checksums');
  const log = await checkedPart(folders.log, 'log');
  const keys = await checkedPart(folders.keys, 'keys');
  const stage = join(data.path, STAGE);
  mkdirSync(stage, { mode: 0o700 });
  stageFiles(folders.log, stage, log);
  stageFiles(folders.keys, stage, keys);
  progress('erasing again what was erased');
  const { destroyed, withoutKeys } = eraseAgain(join(stage, DATA_FILES.log), join(stage, DATA_FILES.keys));
  putInPlace(data, stage, [...log.files, ...keys.files]);
  return {
    faulty: withoutKeys.length > 0,
    report: { head: log.head, logMadeAt: log.madeAt, keysMadeAt: keys.madeAt, erasedAgain: destroyed, withoutKeys },
    lines: [
      `The log up to position ${log.head} and its keys are in ${data.path}.`,
      `${destroyed} keys that the log says are erased were destroyed again.`,
      ...(log.backup === keys.backup
        ? []
        : [`Log (${log.madeAt}) and keys (${keys.madeAt}) are of different backups.`]),
      ...(withoutKeys.length === 0
        ? []
        : [
            `FAULT: ${withoutKeys.length} runs have no keys: the keys are older than the log, and their content is lost.`,
          ]),
      ...(data.has('masterKey') ? [] : ['Before the start put the master key back, or set HOLDPOINT_MASTER_KEY.']),
    ],
  };
}

/** @throws {CannotRun} */
function assertEmpty(data: DataFolder): void {
  const others = readdirSync(data.path).filter((name) => name !== DATA_FILES.masterKey);
  if (others.length === 0) return;
  throw new CannotRun(
    `${data.path} is not empty (${others.slice(0, 3).join(', ')}). Restore into an empty folder; nothing was changed.`,
  );
}

function stageFiles(from: string, stage: string, { files }: Manifest): void {
  for (const { name } of files) copyFileSync(join(from, name), join(stage, name));
}

/** Keys come last: a log without its keys does not start, so a restore that was killed half-way is not mistaken for a whole one. */
function putInPlace(data: DataFolder, stage: string, files: Manifest['files']): void {
  for (const { name } of files) renameSync(join(stage, name), join(data.path, name));
  rmSync(stage, { recursive: true });
}
