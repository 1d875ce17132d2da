import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Options, transformFileSync, transformSync } from '@swc/core';

const REPOSITORY = join(__dirname, '..', '..');
const PROGRAMS = 'test/support/processes';

/**
 * Compiles programs of `test/support/processes` and whatever they import into a folder: real processes run them without
 * the built application, which may not be there or may be older than the source.
 */
export function compilePrograms(folder: string, ...programs: readonly string[]): void {
  compileInto(folder, programs, (code) => code);
}

/**
 * Compiles a program of `test/support/processes` that stands on the built service: what it imports of `src` is taken
 * from `dist`, so that the build itself is what runs.
 *
 * @returns the path of the compiled program
 */
export function compileOnBuild(folder: string, program: string): string {
  const built = pathToFileURL(join(REPOSITORY, 'dist')).href;
  compileInto(folder, [program], (code) => code.replaceAll(/(from\s*['"])(?:\.\.\/)+src\//g, `$1${built}/`));
  return join(folder, PROGRAMS, `${program}.js`);
}

function compileInto(folder: string, programs: readonly string[], linked: (code: string) => string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  const queue = programs.map((program) => join(PROGRAMS, program));
  const seen = new Set(queue);
  for (const module of queue) {
    const code = linked(compiled(join(REPOSITORY, `${module}.ts`)));
    mkdirSync(dirname(join(folder, module)), { recursive: true });
    writeFileSync(join(folder, `${module}.js`), code);
    for (const [, imported] of code.matchAll(/from ['"](\.{1,2}\/[^'"]+)\.js['"]/g)) {
      const next = join(dirname(module), imported as string);
      if (!seen.has(next)) queue.push(next);
      seen.add(next);
    }
  }
}

/**
 * Compiles modules that are no files of the repository, such as those that a document shows, as if they stood in it beside
 * the built service.
 *
 * @param modules by their paths in the repository, such as `src/main.ts`
 */
export function compileTexts(folder: string, modules: ReadonlyMap<string, string>): void {
  makePackage(folder);
  const built = pathToFileURL(join(REPOSITORY, 'dist')).href;
  for (const [path, text] of modules) {
    const target = join(folder, path.replace(/\.ts$/, '.js'));
    const code = transformSync(text, COMPILING).code.replaceAll(
      /(from\s*['"])(\.[^'"]+)(['"])/g,
      (all, from, to, end) => {
        const imported = join(dirname(path), to);
        const isGiven = modules.has(imported.replace(/\.js$/, '.ts'));
        return isGiven ? all : `${from}${built}/${imported.replace(/^src\//, '')}${end}`;
      },
    );
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
}

/** Starts a compiled program with arguments; it talks through messages. */
export function startProgram(folder: string, program: string, ...args: readonly string[]): ChildProcess {
  const path = join(folder, PROGRAMS, `${program}.js`);
  return fork(path, [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** The next message of a process; fails when the process ends without one. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the process ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Message);
    });
  });
}

/** Its exit code, or null when a signal ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', resolve));
}

function makePackage(folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
}

const COMPILING: Options = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

function compiled(path: string): string {
  return transformFileSync(path, COMPILING).code;
}
