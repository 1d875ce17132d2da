import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchFolder } from '../support/scratch-folder.js';

const REPOSITORY = join(__dirname, '..', '..');

/** A small project that keeps every rule: paths and the modules that each imports. */
const CLEAN: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['./start.js'],
  'src/start.ts': ['./app.module.js', './config/environment.js', '@nestjs/common'],
  'src/composition/core.module.ts': [
    '../commands/claim-run.handler.js',
    '../event-store/sqlite/store.js',
    '../event-store/kurrentdb/store.js',
  ],
  'src/app.module.ts': ['./composition/core.module.js', './http/runs.controller.js'],
  'src/events/run-events.ts': [],
  'src/sqlite/database.ts': ['@photostructure/sqlite', 'node:fs'],
  'src/config/environment.ts': ['node:fs'],
  'src/run/evolve.ts': ['../events/run-events.js'],
  'src/run/turn-digest.ts': ['node:crypto'],
  'src/run/input-schema.ts': [],
  'src/event-store/event-store.ts': ['../events/run-events.js', 'node:crypto'],
  'src/event-store/sqlite/store.ts': ['../event-store.js', './row.js', '../../sqlite/database.js'],
  'src/event-store/sqlite/row.ts': ['../../events/run-events.js'],
  'src/event-store/other/store.ts': ['../event-store.js'],
  'src/event-store/kurrentdb/store.ts': ['../event-store.js', '@eventstore/db-client'],
  'src/run-content/open-pause.ts': ['../run/evolve.js', '../event-store/event-store.js', '../events/run-events.js'],
  'src/subscriptions/feed.ts': ['../event-store/event-store.js', '../events/run-events.js'],
  'src/tools/tool.ts': ['../run/input-schema.js', '../events/run-events.js', '@nestjs/common'],
  'src/models/client.ts': ['../run/evolve.js', '../events/run-events.js', 'ai'],
  'src/governance/access.ts': ['../tools/tool.js', '../run/evolve.js', '../event-store/event-store.js'],
  'src/governance/records.ts': ['./access.js'],
  'src/commands/claim-run.command.ts': ['../run/evolve.js'],
  'src/commands/claim-run.handler.ts': [
    './claim-run.command.js',
    '../governance/records.js',
    '../tools/tool.js',
    '../run-content/open-pause.js',
    '../event-store/event-store.js',
  ],
  'src/tool-loop/tool-loop.service.ts': [
    '../models/client.js',
    '../tools/tool.js',
    '../governance/records.js',
    '../run-content/open-pause.js',
  ],
  'src/demonstration/some.tool.ts': ['../tools/tool.js', '../commands/claim-run.command.js', '../governance/access.js'],
  'src/sagas/resume-runs.ts': [
    '../commands/claim-run.command.js',
    '../tool-loop/tool-loop.service.js',
    '../subscriptions/feed.js',
    '../event-store/event-store.js',
    '../sqlite/database.js',
  ],
  'src/projections/runs.query.ts': [],
  'src/projections/runs.ts': [
    './runs.query.js',
    '../run/evolve.js',
    '../governance/access.js',
    '../run-content/open-pause.js',
    '../subscriptions/feed.js',
    '../sqlite/database.js',
  ],
  'src/http/runs.controller.ts': [
    '../commands/claim-run.command.js',
    '../projections/runs.query.js',
    '../governance/records.js',
  ],
  'src/inbox/form.ts': ['../run/input-schema.js', '../projections/runs.query.js'],
  'src/cli/verify.ts': [
    '../event-store/sqlite/store.js',
    '../projections/runs.js',
    '../run/evolve.js',
    '../config/environment.js',
  ],
  'test/some.spec.ts': ['../src/app.module.js', '../src/event-store/sqlite/store.js', 'fast-check'],
};

/** What is added to the clean project to break one rule each, and the line that must say so. */
const VIOLATIONS: Readonly<Record<string, readonly [file: string, imported: string, target: string]>> = {
  'imports-of-events': ['src/events/a.ts', '../run/evolve.js', 'src/run/evolve.ts'],
  'imports-of-sqlite': ['src/sqlite/a.ts', '../events/run-events.js', 'src/events/run-events.ts'],
  'imports-of-config': ['src/config/a.ts', '../events/run-events.js', 'src/events/run-events.ts'],
  'imports-of-logging': ['src/logging/a.ts', '../events/run-events.js', 'src/events/run-events.ts'],
  'imports-of-metrics': ['src/metrics/a.ts', '../events/run-events.js', 'src/events/run-events.ts'],
  'imports-of-run': ['src/run/a.ts', '../event-store/event-store.js', 'src/event-store/event-store.ts'],
  'imports-of-event-store': ['src/event-store/a.ts', '../sqlite/database.js', 'src/sqlite/database.ts'],
  'imports-of-event-store-adapters': ['src/event-store/sqlite/a.ts', '../../run/evolve.js', 'src/run/evolve.ts'],
  'imports-of-run-content': ['src/run-content/a.ts', '../governance/access.js', 'src/governance/access.ts'],
  'imports-of-subscriptions': ['src/subscriptions/a.ts', '../run/evolve.js', 'src/run/evolve.ts'],
  'imports-of-tools': ['src/tools/a.ts', '../governance/access.js', 'src/governance/access.ts'],
  'imports-of-models': ['src/models/a.ts', '../tools/tool.js', 'src/tools/tool.ts'],
  'imports-of-governance': ['src/governance/a.ts', '../run-content/open-pause.js', 'src/run-content/open-pause.ts'],
  'imports-of-commands': ['src/commands/a.ts', '../models/client.js', 'src/models/client.ts'],
  'imports-of-tool-loop': [
    'src/tool-loop/a.ts',
    '../commands/claim-run.command.js',
    'src/commands/claim-run.command.ts',
  ],
  'imports-of-demonstration': ['src/demonstration/a.ts', '../run/evolve.js', 'src/run/evolve.ts'],
  'imports-of-sagas': ['src/sagas/a.ts', '../commands/claim-run.handler.js', 'src/commands/claim-run.handler.ts'],
  'imports-of-projections': ['src/projections/a.ts', '../run/input-schema.js', 'src/run/input-schema.ts'],
  'imports-of-openid': ['src/openid/a.ts', '../governance/access.js', 'src/governance/access.ts'],
  'imports-of-http': ['src/http/a.ts', '../projections/runs.js', 'src/projections/runs.ts'],
  'imports-of-inbox': ['src/inbox/a.ts', '../run/evolve.js', 'src/run/evolve.ts'],
  'imports-of-cli': ['src/cli/a.ts', '../governance/access.js', 'src/governance/access.ts'],
  'every-folder-is-in-the-table': ['src/helpers/a.ts', '../events/run-events.js', 'src/events/run-events.ts'],
  'adapters-are-wired-in-one-place': [
    'src/main2/a.ts',
    '../event-store/sqlite/store.js',
    'src/event-store/sqlite/store.ts',
  ],
  'adapters-do-not-know-each-other': [
    'src/event-store/other/a.ts',
    '../sqlite/row.js',
    'src/event-store/sqlite/row.ts',
  ],
  'imports-of-composition': ['src/composition/b.ts', '../start.js', 'src/start.ts'],
  'nothing-imports-the-composition': [
    'src/http/h.ts',
    '../composition/core.module.js',
    'src/composition/core.module.ts',
  ],
  'nothing-imports-the-start': ['src/http/b.ts', '../app.module.js', 'src/app.module.ts'],
  'the-domain-knows-no-framework': ['src/run/b.ts', '@nestjs/common', 'node_modules/@nestjs/common/index.js'],
  'the-domain-does-no-io': ['src/events/b.ts', 'node:timers/promises', 'timers/promises'],
  'sqlite-driver-only-in-sqlite': [
    'src/projections/b.ts',
    '@photostructure/sqlite',
    'node_modules/@photostructure/sqlite/index.js',
  ],
  'kurrentdb-client-only-in-its-adapter': [
    'src/subscriptions/b.ts',
    '@eventstore/db-client',
    'node_modules/@eventstore/db-client/index.js',
  ],
  'model-sdk-only-in-models': ['src/tool-loop/b.ts', 'ai', 'node_modules/ai/index.js'],
  'openid-libraries-only-in-openid': ['src/inbox/b.ts', 'openid-client', 'node_modules/openid-client/index.js'],
  'src-never-imports-tests': ['src/http/c.ts', '../../test/some.spec.js', 'test/some.spec.ts'],
  'src-imports-only-dependencies': ['src/http/d.ts', 'fast-check', 'node_modules/fast-check/index.js'],
  'no-cycles': ['src/http/e.ts', './f.js', 'src/http/f.ts'],
  'no-unresolvable': ['src/http/g.ts', './not-there.js', './not-there.js'],
};

/** What a violation needs beside its own file. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { 'src/http/f.ts': ['./e.js'] };

const PACKAGES = {
  dependencies: ['@eventstore/db-client', '@nestjs/common', '@photostructure/sqlite', 'ai', 'openid-client'],
  devDependencies: ['fast-check'],
};

describe('the import rules', () => {
  const scratch = scratchFolder();
  afterAll(() => scratch.remove());

  it('find nothing in a project that keeps them', () => {
    const folder = plant(join(scratch.path, 'clean'), CLEAN);
    const checked = check(folder);
    expect(checked.lines).toEqual([`${Object.keys(CLEAN).length} modules read, 0 faults in their imports`]);
    expect(checked.exitCode).toBe(0);
  });

  it('have a planted violation each, so that no rule is taken on trust', () => {
    const rules = require(join(REPOSITORY, '.dependency-cruiser.cjs')) as { forbidden: { name: string }[] };
    expect(Object.keys(VIOLATIONS).sort()).toEqual(rules.forbidden.map((rule) => rule.name).sort());
  });

  describe('in a project that breaks every one of them', () => {
    let checked: ReturnType<typeof check>;
    beforeAll(() => {
      const planted = Object.values(VIOLATIONS).map(([file, imported]) => [file, [imported]]);
      checked = check(plant(join(scratch.path, 'faulty'), { ...CLEAN, ...Object.fromEntries(planted), ...BESIDE }));
    });

    it('fail', () => expect(checked.exitCode).toBe(1));

    it.each(Object.entries(VIOLATIONS))('find the violation of %s', (rule, [file, _imported, target]) => {
      expect(checked.lines).toContainEqual(expect.stringMatching(`^${rule}: ${file} -> ${target}( |$)`));
    });
  });

  it('count an import of types as an import', () => {
    const folder = plant(join(scratch.path, 'types'), CLEAN);
    writeFileSync(
      join(folder, 'src/events/a.ts'),
      "import type * as run from '../run/evolve.js';\nexport type A = typeof run;\n",
    );
    expect(check(folder).lines).toContainEqual(expect.stringMatching('^imports-of-events: src/events/a.ts'));
  });

  it('fail where there is nothing to check', () => {
    const checked = check(plant(join(scratch.path, 'empty'), {}));
    expect(checked.lines).toContain('no-modules: there is no TypeScript file in src');
    expect(checked.exitCode).toBe(1);
  });
});

/** Writes a project in which each file imports what is listed for it. */
function plant(folder: string, files: Readonly<Record<string, readonly string[]>>): string {
  for (const [file, imports] of Object.entries(files)) {
    const lines = imports.map((specifier, index) => `import * as i${index} from '${specifier}';`);
    const uses = imports.map((_, index) => `i${index}`).join(', ');
    write(folder, file, [...lines, `export const uses = [${uses}];`, ''].join('\n'));
  }
  for (const name of [...PACKAGES.dependencies, ...PACKAGES.devDependencies]) {
    write(folder, `node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(folder, `node_modules/${name}/index.js`, '');
  }
  const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']));
  const { dependencies, devDependencies } = PACKAGES;
  const manifest = { dependencies: versions(dependencies), devDependencies: versions(devDependencies) };
  write(folder, 'package.json', JSON.stringify(manifest));
  return folder;
}

function write(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function check(folder: string): { readonly lines: readonly string[]; readonly exitCode: number | null } {
  const script = join(REPOSITORY, 'test', 'import-rules.js');
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return { lines: stdout.trim().split('\n'), exitCode: status };
}
