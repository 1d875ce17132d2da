import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../support/scratch-folder.js';

const REPOSITORY = join(__dirname, '..', '..');

describe('the last line of a test run', () => {
  const scratch = scratchFolder();
  afterAll(() => scratch.remove());

  it('counts what passed', () => {
    expect(runTests('passing', { 'one.spec.js': "it('a', () => {}); it('b', () => {});" })).toEqual({
      lastLine: '2 passed, 0 failed',
      exitCode: 0,
    });
  });

  it('counts a file that cannot run as a failure, and names what was skipped', () => {
    const files = {
      'broken.spec.js': "throw new Error('before any test');",
      'mixed.spec.js':
        "it('a', () => {}); it('b', () => { throw new Error(); }); it.skip('c', () => {}); it.todo('d');",
    };
    expect(runTests('mixed', files)).toEqual({ lastLine: '1 passed, 2 failed, 2 skipped', exitCode: 1 });
  });

  it('makes a run in which nothing was executed fail', () => {
    expect(runTests('skipping', { 'one.spec.js': "it.skip('a', () => {});" })).toEqual({
      lastLine: '0 passed, 0 failed, 1 skipped',
      exitCode: 1,
    });
  });

  /** Runs Jest on small test files, with the reporters that `jest.config.js` names. */
  function runTests(name: string, files: Readonly<Record<string, string>>) {
    const folder = join(scratch.path, name);
    mkdirSync(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const reporters = ['default', join(REPOSITORY, 'test', 'summary-reporter.js')];
    writeFileSync(
      join(folder, 'jest.config.json'),
      JSON.stringify({ testMatch: ['**/*.spec.js'], transform: {}, reporters }),
    );
    const jest = join(REPOSITORY, 'node_modules', 'jest', 'bin', 'jest.js');
    const { stdout, status } = spawnSync(process.execPath, [jest, '--config', 'jest.config.json', '-i'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { lastLine: stdout.trimEnd().split('\n').at(-1), exitCode: status };
  }
});
