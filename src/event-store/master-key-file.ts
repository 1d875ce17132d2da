import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { MasterKey, MasterKeyUnusable } from './master-key.js';
import { MasterKeys } from './master-keys.js';

export interface MasterKeySource {
  /** The value of `HOLDPOINT_MASTER_KEY`: 32 bytes in base64. Counts alone when it is there. */
  readonly fromEnvironment?: string | undefined;
  /** The value of `HOLDPOINT_MASTER_KEY_NEXT`, while the one of the environment is being changed. */
  readonly nextFromEnvironment?: string | undefined;
  /** A file in the data folder, which exists, with the same spelling. The next key stands beside it, see {@link nextKeyFile}. */
  readonly file: string;
  /**
   * Whether a log or a key store exists already, looked up before this is called. A new key could not open any of it,
   * so one is made only where there is nothing yet.
   */
  readonly hasSealedData: boolean;
}

/**
 * The master key, made at the very first start if there is none. Processes that start at the same moment end up with
 * the same key.
 *
 * The file is made with mode 0600. One that everybody can read or write is refused. Group permissions are let be:
 * Kubernetes adds them, by `fsGroup`, whenever it mounts a volume.
 *
 * @throws {MasterKeyUnusable} SEA-4: nothing may start without a usable key.
 */
export function loadMasterKey({ fromEnvironment, file, hasSealedData }: MasterKeySource): MasterKey {
  if (fromEnvironment !== undefined) return MasterKey.parse(fromEnvironment, 'HOLDPOINT_MASTER_KEY');
  const found = readKeyFile(file);
  if (found !== undefined) return found;
  if (hasSealedData) {
    throw new MasterKeyUnusable(
      'missing',
      `There is no master key, but there is data that was sealed with one. Put the key back at ${file}, or set HOLDPOINT_MASTER_KEY.`,
    );
  }
  makeKeyFile(file);
  const made = readKeyFile(file);
  if (made === undefined) throw unreadable(file, 'it vanished after it was made');
  return made;
}

/**
 * The master keys as {@link loadMasterKey} finds them, and the next one where the master key is being changed. Asked again
 * later it makes none: a key that vanishes while the service runs is missed, not replaced.
 *
 * @throws {MasterKeyUnusable}
 */
export function findMasterKeys(source: MasterKeySource): MasterKeys {
  let { hasSealedData } = source;
  return new MasterKeys(() => {
    const inUse = loadMasterKey({ ...source, hasSealedData });
    hasSealedData = true;
    const next = nextMasterKey(source);
    return next === undefined ? [inUse] : [inUse, next];
  });
}

/** Where the next master key is while it takes the place of the one in use. */
function nextKeyFile(file: string): string {
  return `${file}.next`;
}

/** The master key that is to follow; undefined while there is no such. @throws {MasterKeyUnusable} */
export function nextMasterKey({ fromEnvironment, nextFromEnvironment, file }: MasterKeySource): MasterKey | undefined {
  if (fromEnvironment === undefined) return readKeyFile(nextKeyFile(file));
  if (nextFromEnvironment === undefined) return undefined;
  return MasterKey.parse(nextFromEnvironment, 'HOLDPOINT_MASTER_KEY_NEXT');
}

/** Makes the next master key beside the one in use, or finds the one that is there. @throws {MasterKeyUnusable} */
export function makeNextKeyFile(file: string): MasterKey {
  const next = nextKeyFile(file);
  const found = readKeyFile(next);
  if (found !== undefined) return found;
  makeKeyFile(next);
  const made = readKeyFile(next);
  if (made === undefined) throw unreadable(next, 'it vanished after it was made');
  return made;
}

/** Puts the next master key in the place of the one in use, which is gone then. A reader finds one or the other, whole. */
export function adoptNextKeyFile(file: string): void {
  renameSync(nextKeyFile(file), file);
  syncFolder(dirname(file));
}

function readKeyFile(file: string): MasterKey | undefined {
  let text: string;
  let mode: number;
  try {
    mode = statSync(file).mode;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
  // Windows has no such permissions and reports the same bits for every file.
  if (process.platform !== 'win32' && (mode & 0o007) !== 0) {
    throw new MasterKeyUnusable(
      'exposed',
      `Everybody on this machine can reach the master key. Run: chmod 600 ${file}`,
    );
  }
  return MasterKey.parse(text.replace(/\r?\n$/, ''), file);
}

/**
 * Writes the key to a file of another name and gives it its own name when all of it is on the disk. A link, unlike a
 * rename, never replaces the key of a process that was faster.
 */
function makeKeyFile(file: string): void {
  const draft = `${file}.${randomUUID()}.new`;
  try {
    writeFileSync(draft, `${MasterKey.generate()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unreadable(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Makes the new name survive a power cut. Windows cannot open folders and does without. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function unreadable(file: string, cause: unknown): MasterKeyUnusable {
  const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : cause;
  return new MasterKeyUnusable('unreadable', `The master key at ${file} cannot be read or made: ${reason}.`, { cause });
}
