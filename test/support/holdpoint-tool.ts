import { spawn } from 'node:child_process';
import { join } from 'node:path';

const TOOL = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

export interface ToolRun {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What it printed for machines. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at reports member by member.
  readonly report: any;
}

export interface ToolOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it with `kill -9` after so many milliseconds. */
  readonly killAfterMs?: number;
  /** Ends it with `kill -9` as soon as it has said so many lines about how far it is. */
  readonly killAtLine?: number;
  /** Ends it with `kill -9` as soon as this resolves. */
  readonly killWhen?: Promise<unknown>;
}

/** Runs the built command-line tool on a data folder, with `--json`, in a process of its own. */
export function holdpoint(dataDir: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolRun> {
  const { env = {}, killAfterMs, killAtLine, killWhen } = options;
  const child = spawn(process.execPath, ['--enable-source-maps', TOOL, ...args, '--data', dataDir, '--json'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
    if (killAtLine !== undefined && err.split('\n').length > killAtLine) child.kill('SIGKILL');
  });
  const killing = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  void killWhen?.then(() => child.kill('SIGKILL'));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(killing);
      resolve({ code, out, err, report: out.startsWith('{') ? JSON.parse(out) : undefined });
    });
  });
}
