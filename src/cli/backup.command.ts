import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { DATA_FILES, type DataFile } from '../config/data-files.js';
import { LogInspection } from '../event-store/sqlite/log-inspection.js';
import { copyDatabase } from '../sqlite/copy-database.js';
import { finishPart, makePartFolder } from './backup-manifest.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import { UsageMistake } from './failures.js';

export const BACKUP: Command = {
  name: 'backup',
  usage: 'backup DIR | backup --log DIR --keys DIR',
  summary: 'copies log and keys, apart from each other, while services go on',
  help: `Copies the log with the subscribers' checkpoints into DIR/log and the keys into DIR/keys, each with a manifest of
checksums. With --log and --keys the two go to places of their own, which is how they should be kept: whoever has
the keys of a backup and the master key can open what was erased after it. Services may be running.

The master key is in neither part; keep a copy of it apart from both. A log on a server has the server's own backup.

  --log DIR    where the log goes
  --keys DIR   where the keys go`,
  options: { log: { type: 'string' }, keys: { type: 'string' } },
  arguments: [0, 1],
  run: backUp,
};

/** Where the two parts of a backup are. @throws {UsageMistake} */
export function partsNamed({ args, options }: Pick<CommandContext, 'args' | 'options'>) {
  const [folder] = args;
  const log = options.log ?? (folder && join(folder, 'log'));
  const keys = options.keys ?? (folder && join(folder, 'keys'));
  if (!log || !keys) throw new UsageMistake('Name one folder, or one with --log and one with --keys.');
  return { log: resolve(log), keys: resolve(keys) };
}

/**
 * Checkpoints first, then the log, then the keys: a checkpoint that is older than its log has events delivered twice, a
 * younger one would have some left out; keys are older than what they seal, so later keys cover all of the log.
 */
async function backUp(context: CommandContext): Promise<CommandOutcome> {
  const { data, progress } = context;
  data.assertFiles();
  const folders = partsNamed(context);
  data.assertReady('log', 'keys');
  makePartFolder(folders.log);
  makePartFolder(folders.keys);
  const copy = (name: DataFile, folder: string) => {
    progress(`copying ${DATA_FILES[name]}`);
    copyDatabase(data.file(name), join(folder, DATA_FILES[name]));
  };
  if (data.has('subscribers')) copy('subscribers', folders.log);
  copy('log', folders.log);
  copy('keys', folders.keys);
  const head = headOf(join(folders.log, DATA_FILES.log));
  const shared = { backup: randomUUID(), madeAt: new Date().toISOString() };
  const log = await finishPart(folders.log, { part: 'log', ...shared, head });
  const keys = await finishPart(folders.keys, { part: 'keys', ...shared });
  return {
    faulty: false,
    report: { ...shared, head, log: { folder: folders.log, ...log }, keys: { folder: folders.keys, ...keys } },
    lines: [
      `The log up to position ${head} is in ${folders.log}.`,
      `Its keys are in ${folders.keys}. Keep them apart from the log, and the master key apart from both.`,
    ],
  };
}

function headOf(log: string): string {
  const copied = LogInspection.open(log);
  try {
    return copied.head().toString();
  } finally {
    copied.close();
  }
}
