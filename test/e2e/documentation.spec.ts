import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../../src/config/data-files.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { compileTexts } from '../support/compiled-processes.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

const REPOSITORY = join(import.meta.dirname, '..', '..');

/** As much of `curl` as the README uses, for machines that have none. */
const CURL = `#!/usr/bin/env node
const [headers, urls] = [{}, []];
let body;
const args = process.argv.slice(2);
for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
  if (arg === '-H') {
    const [, name, value] = /^([^:]+): *(.*)$/.exec(args.shift());
    headers[name] = value;
  } else if (arg === '-d') body = args.shift();
  else if (arg !== '-s') urls.push(arg);
}
if (urls.length !== 1) throw new Error('one URL, please');
fetch(urls[0], { method: body === undefined ? 'GET' : 'POST', headers, body })
  .then((response) => response.text())
  .then((text) => process.stdout.write(text));
`;

/** The code blocks of a document in one language, without their fences. */
function blocksOf(file: string, language: string): string[] {
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
}

/*
 * On SQLite alone: these are the documents' own words and their own environment, for readers who have no server. What they
 * show of the service, other specs show on every store.
 */
describe('what the documents show', () => {
  const folder = scratchFolder();

  afterAll(() => folder.remove());

  it('the walk of the README goes as it says, with no more than Node and curl', async () => {
    const [startLine = '', walk = ''] = blocksOf('README.md', 'sh').slice(1);
    const variables = startLine.matchAll(/(HOLDPOINT_\w+)=(\S+)/g);
    const env = Object.fromEntries([...variables].map(([, name, value]) => [name, value]));
    expect(env).toHaveProperty('HOLDPOINT_BOOTSTRAP_TOKEN');
    const dataDir = join(folder.path, 'walk');
    const service = await Service.start({ dataDir, env: { ...env, HOLDPOINT_DATA_DIR: dataDir } });

    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'curl'), CURL, { mode: 0o755 });
    const script = walk.replace('http://127.0.0.1:3000', service.address);
    expect(script).not.toBe(walk);
    const { code, output } = await shell(script, `${bin}:${process.env.PATH}`);
    const seen = [
      '"ask_delivery_window"',
      '"invalid-input"',
      '"accepted"',
      '"RunStarted"',
      '"InputSubmitted"',
      '"items"',
    ];
    const places = seen.map((text) => output.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places.slice(0, 5)).toEqual([...places.slice(0, 5)].sort((one, other) => one - other));
    expect(output).toContain('"status": "completed"');
    expect(code).toBe(0);
    await service.stop();
  }, 90_000);

  function shell(script: string, path: string): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = spawn('sh', ['-e'], { cwd: folder.path, env: { PATH: path }, stdio: 'pipe' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.stdin.end(script);
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  it('INP-1 INP-6 the tool that is shown in full asks a person and goes on with what they said', async () => {
    const modules = blocksOf('docs/tools.md', 'ts').map((block): [string, string] => [
      /^\/\/ (src\/\S+)$/m.exec(block)?.[1] ?? '',
      block,
    ]);
    expect(modules.map(([path]) => path)).toContain('src/main.ts');
    compileTexts(folder.path, new Map(modules));
    const program = join(folder.path, 'src', 'main.js');
    const service = await Service.start({ dataDir: join(folder.path, 'tool'), program });

    const [configuration = ''] = blocksOf('docs/tools.md', 'json');
    expect((await service.call('PUT', '/configurations/meters', configuration)).status).toBe(201);
    const go = { configurationId: 'meters', input: 'go' };
    const { body: run } = await service.call('POST', '/runs', go, { prefer: 'wait=30' });
    expect(run.status).toBe('waiting_for_input');
    const submit = async (data: object) =>
      (
        await service.call(
          'POST',
          `/runs/${run.id}/input`,
          { turnDigest: run.pause.turnDigest, data },
          { prefer: 'wait=30' },
        )
      ).body;
    expect(await submit({ kilowattHours: -1 })).toMatchObject({ code: 'invalid-input' });
    const done = await submit({ kilowattHours: 5_000, readOn: '2030-01-31', meterId: 'B1B2B3' });
    expect(done).toMatchObject({ status: 'completed', ignoredKeys: [expect.stringMatching(/\/meterId$/)] });
    const { body: timeline } = await service.call('GET', `/runs/${run.id}/events`);
    expect(timeline.items.find(({ type }: { type: string }) => type === 'ToolCallCompleted')).toMatchObject({
      toolName: 'read_meter',
      outcome: 'ok',
    });
    await service.stop();
  }, 60_000);

  it('names every variable of the environment for whoever operates the service', () => {
    const config = join(REPOSITORY, 'src', 'config');
    const declared = readdirSync(config).flatMap((file) => {
      const text = readFileSync(join(config, file), 'utf8');
      return [...text.matchAll(/^ {2}((?:HOLDPOINT_)?[A-Z_]+): (?:variable|wholeNumber|visible)\(/gm)].map(
        ([, name]) => name,
      );
    });
    expect(declared.length).toBeGreaterThan(20);
    const operating = readFileSync(join(REPOSITORY, 'docs', 'operating.md'), 'utf8');
    expect(declared.filter((name) => !operating.includes(`\`${name}\``))).toEqual([]);
  });

  it('names every metric of ours and every file of the data folder, and none that there is not', async () => {
    const operating = readFileSync(join(REPOSITORY, 'docs', 'operating.md'), 'utf8');
    const exposed = [...(await new Metrics().text()).matchAll(/^# TYPE (holdpoint_\w+)/gm)].map(([, name]) => name);
    expect(exposed.length).toBeGreaterThan(10);
    const named = [...operating.matchAll(/`(holdpoint_\w+)`/g)].map(([, name]) => name);
    expect([...new Set(named)].sort()).toEqual(exposed.sort());
    expect(Object.values(DATA_FILES).filter((file) => !operating.includes(`\`${file}\``))).toEqual([]);
  });
});
