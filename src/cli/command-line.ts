import { parseArgs } from 'node:util';
import { EnvironmentInvalid } from '../config/environment.js';
import { StoreUnavailable } from '../event-store/errors.js';
import { MasterKeyUnusable } from '../event-store/master-key.js';
import { describeFailure } from '../logging/describe-failure.js';
import { DatabaseUnavailable, SchemaUnknown } from '../sqlite/errors.js';
import { ADMINISTRATOR } from './administrator.command.js';
import { BACKUP } from './backup.command.js';
import { type Command, type CommandOutcome } from './command.js';
import { COPY_LOG } from './copy-log.command.js';
import { DataFolder } from './data-folder.js';
import { ERASE } from './erase.command.js';
import { CannotRun, UsageMistake } from './failures.js';
import { PARKED } from './parked.command.js';
import { REBUILD } from './rebuild.command.js';
import { RESTORE } from './restore.command.js';
import { ROTATE_MASTER_KEY } from './rotate-master-key.command.js';
import { VERIFY } from './verify.command.js';

const COMMANDS: readonly Command[] = [
  VERIFY,
  REBUILD,
  BACKUP,
  RESTORE,
  PARKED,
  ERASE,
  ADMINISTRATOR,
  ROTATE_MASTER_KEY,
  COPY_LOG,
];

const EVERY_COMMANDS_OPTIONS = `  --data DIR   the data folder; otherwise HOLDPOINT_DATA_DIR, otherwise ./data
  --json       print the result as one JSON object on standard output
  --help       print this`;

const EXIT_CODES = `Exit codes: 0 all is well, 1 damage or faults were found, 2 it was called wrongly, 3 it could not run
(as with a wrong master key).`;

/** Runs one command as it was typed and tells its exit code. The result goes to standard output, everything else to standard error. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === 'help') {
    process.stdout.write(`${overview()}\n`);
    return name === undefined ? 2 : 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    return complain(2, `There is no command "${name}". \`holdpoint --help\` lists those there are.`);
  }
  return await runCommand(command, rest);
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  try {
    const { help, data, positionals, options } = parsed(command, args);
    if (help) {
      process.stdout.write(`${helpOf(command)}\n`);
      return 0;
    }
    const [least, most] = command.arguments;
    if (positionals.length < least || positionals.length > most) {
      throw new UsageMistake(`Usage: holdpoint ${command.usage}`);
    }
    const progress = (line: string) => void process.stderr.write(`${line}\n`);
    const outcome = await command.run({ data: DataFolder.find(data), args: positionals, options, progress });
    print(outcome, json);
    return outcome.faulty ? 1 : 0;
  } catch (failure) {
    const [code, sentence] = sentenceOf(failure);
    if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: sentence })}\n`);
    return complain(code, sentence);
  }
}

function parsed(command: Command, args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...command.options,
        data: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { data, json: _json, help, ...options } = values as Record<string, string | boolean | undefined>;
    return {
      help: help === true,
      data: data as string | undefined,
      positionals,
      options: options as Record<string, string | undefined>,
    };
  } catch (mistake) {
    throw new UsageMistake(`${(mistake as Error).message}\nUsage: holdpoint ${command.usage}`);
  }
}

function print({ faulty, report, lines }: CommandOutcome, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify({ ok: !faulty, ...report })}\n` : `${lines.join('\n')}\n`);
}

function complain(code: number, sentence: string): number {
  process.stderr.write(`${sentence}\n`);
  return code;
}

function sentenceOf(failure: unknown): readonly [code: number, sentence: string] {
  if (failure instanceof UsageMistake) return [2, failure.message];
  const known = [
    CannotRun,
    EnvironmentInvalid,
    MasterKeyUnusable,
    SchemaUnknown,
    DatabaseUnavailable,
    StoreUnavailable,
  ];
  if (known.some((kind) => failure instanceof kind)) return [3, (failure as Error).message];
  // Another error's message can quote content.
  const { error, frames } = describeFailure(failure);
  const code = (failure as NodeJS.ErrnoException | undefined)?.code;
  return [3, [`It failed: ${error}${code === undefined ? '' : ` ${code}`}.`, ...frames].join('\n  ')];
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const list = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}`);
  return `Usage: holdpoint COMMAND …

Works on the data folder of a Holdpoint service on this machine, which may be running, or on the server that
HOLDPOINT_STORE names.

${list.join('\n')}

\`holdpoint COMMAND --help\` says more. Every command takes:
${EVERY_COMMANDS_OPTIONS}

${EXIT_CODES}`;
}

function helpOf({ usage, help }: Command): string {
  return `Usage: holdpoint ${usage}\n\n${help}\n\n${EVERY_COMMANDS_OPTIONS}\n\n${EXIT_CODES}`;
}
