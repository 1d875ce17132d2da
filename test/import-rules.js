// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractRules from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTypeScriptOptions from 'dependency-cruiser/config-utl/extract-ts-config';

/*
 * Checks who imports whom, by the rules in `.dependency-cruiser.cjs`: `node test/import-rules.js [folder]`.
 *
 * Prints one line for each fault and exits with 1 if there is any. A checker that saw nothing would find nothing, so a
 * file that exists and was not read is a fault too.
 */

const project = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? project);

const folders = ['src', 'test', 'bench'].filter((name) => existsSync(join(folder, name)));
const rules = await extractRules(join(project, '.dependency-cruiser.cjs'));
const { modules, violations } = await readModules();
const faults = [...missing(modules), ...violations.map(inWords)];

for (const fault of faults) console.log(fault);
console.log(`${modules.size} modules read, ${faults.length} faults in their imports`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** @returns {Promise<{ modules: Set<string>, violations: import('dependency-cruiser').IViolation[] }>} */
async function readModules() {
  if (folders.length === 0) return { modules: new Set(), violations: [] };
  const tsConfig = extractTypeScriptOptions(join(project, 'tsconfig.json'));
  const { output } = await cruise(folders, { ...rules, baseDir: folder }, {}, { tsConfig });
  if (typeof output === 'string') throw new Error('dependency-cruiser was asked for its result, not for a report');
  const own = output.modules.map(({ source }) => source).filter((source) => /^(src|test|bench)\//.test(source));
  return { modules: new Set(own), violations: output.summary.violations };
}

/**
 * @param {ReadonlySet<string>} seen
 * @returns {string[]}
 */
function missing(seen) {
  const files = folders.flatMap(typeScriptFiles);
  const empty = ['src', 'test'].filter((name) => !files.some((file) => file.startsWith(`${name}/`)));
  return [
    ...empty.map((name) => `no-modules: there is no TypeScript file in ${name}`),
    ...files.filter((file) => !seen.has(file)).map((file) => `not-read: ${file}`),
  ];
}

/**
 * @param {string} name one of the folders
 * @returns {string[]} paths below the folder that is checked
 */
function typeScriptFiles(name) {
  return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => `${name}/${path.replaceAll('\\', '/')}`);
}

/**
 * @param {import('dependency-cruiser').IViolation} violation
 * @returns {string}
 */
function inWords({ rule, from, to, cycle }) {
  const path = cycle === undefined ? [from, to] : [from, ...cycle.map(({ name }) => name)];
  const because = rules.ruleSet?.forbidden?.find(({ name }) => name === rule.name)?.comment;
  return `${rule.name}: ${path.join(' -> ')}${because === undefined ? '' : ` (${because})`}`;
}
