import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { CannotRun } from './failures.js';

/** The name of the file that says what a part of a backup is. It is written last: a part without it is not whole. */
const MANIFEST = 'manifest.json';

const SCHEMA = z.object({
  format: z.literal(1),
  /** A backup has two parts, which are kept apart. */
  part: z.enum(['log', 'keys']),
  /** The same in both parts of one backup. */
  backup: z.uuid(),
  madeAt: z.iso.datetime(),
  /** Position of the last event in the log's part. */
  head: z
    .string()
    .regex(/^-?\d+$/)
    .optional(),
  files: z.array(
    z.object({
      name: z.string().regex(/^[a-z][a-z.-]*$/),
      bytes: z.number().int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type Manifest = z.infer<typeof SCHEMA>;

/** A new folder for a part, or an empty one. @throws {CannotRun} */
export function makePartFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0)
    throw new CannotRun(`${folder} is not empty; a backup takes a folder of its own.`);
}

/** Describes the files of a part, and makes them and their names survive a power cut. */
export async function finishPart(folder: string, manifest: Omit<Manifest, 'format' | 'files'>): Promise<Manifest> {
  const files = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    sync(path);
    files.push({ name, bytes: statSync(path).size, sha256: await sha256Of(path) });
  }
  const whole: Manifest = { format: 1, ...manifest, files };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(whole, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  sync(folder);
  return whole;
}

/**
 * The manifest of a part whose files are all there, unchanged.
 *
 * @throws {CannotRun} naming what is wrong.
 */
export async function checkedPart(folder: string, part: Manifest['part']): Promise<Manifest> {
  const manifest = readManifest(folder);
  if (manifest.part !== part) throw new CannotRun(`${folder} has the ${manifest.part} of a backup, not the ${part}.`);
  for (const { name, bytes, sha256 } of manifest.files) {
    const path = join(folder, name);
    if (!existsSync(path)) throw new CannotRun(`${path} is missing from the backup.`);
    if (statSync(path).size !== bytes || (await sha256Of(path)) !== sha256) {
      throw new CannotRun(`${path} is not what was backed up: its checksum differs. Nothing was restored.`);
    }
  }
  return manifest;
}

function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) throw new CannotRun(`There is no ${MANIFEST} in ${folder}: this is no whole backup.`);
  try {
    return SCHEMA.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new CannotRun(`${path} cannot be read; nothing was restored.`);
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
