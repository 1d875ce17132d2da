import type { ParseArgsConfig } from 'node:util';
import type { DataFolder } from './data-folder.js';

/** What a command was given, and what it may use. */
export interface CommandContext {
  readonly data: DataFolder;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Says on standard error how far it is; the result alone goes to standard output. */
  readonly progress: (line: string) => void;
}

export interface CommandOutcome {
  /** True where damage or faults were found: the exit code is 1 then. */
  readonly faulty: boolean;
  /** What `--json` prints: plain JSON values. */
  readonly report: object;
  /** The same for people. */
  readonly lines: readonly string[];
}

export interface Command {
  readonly name: string;
  /** What stands behind `holdpoint` in its usage line. */
  readonly usage: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly help: string;
  /** Options beside those that every command has; all of them take a value. */
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** How many arguments it takes. */
  readonly arguments: readonly [least: number, most: number];
  /** @throws {UsageMistake} @throws {CannotRun} */
  run(context: CommandContext): Promise<CommandOutcome>;
}
