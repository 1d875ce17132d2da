import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ScratchFolder {
  readonly path: string;
  remove(): void;
}

/** A new folder of its own for a test, and how to remove it. */
export function scratchFolder(): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), 'holdpoint-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
