import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MasterKey } from '../../src/event-store/master-key.js';
import { compileOnBuild } from '../support/compiled-processes.js';
import { filesIn, unfinishedIn } from '../support/data-folder.js';
import { failedStart } from '../support/failed-start.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { OWN_STORES, type StoreUnderTest } from '../support/store-under-test.js';

/*
 * How the service begins and ends: a start that cannot be, says why in one sentence and changes nothing; an end loses
 * nothing. First what is refused before any store is looked at.
 */
describe('a start that cannot be', () => {
  const folder = scratchFolder();
  const compiled = scratchFolder();
  let program: string;

  beforeAll(() => {
    program = compileOnBuild(compiled.path, 'service-with-probe-tools');
  });

  afterAll(() => {
    folder.remove();
    compiled.remove();
  });

  const secret = () => randomBytes(16).toString('hex');

  it('SEA-4 ends with one sentence for each bad variable, which names it and repeats no value', async () => {
    const secrets = [secret(), `a ${secret()}`, secret(), secret(), secret()];
    const dataDir = join(folder.path, 'never');
    const { code, output } = await failedStart({
      dataDir,
      env: {
        PORT: '70000',
        HOST: 'no host',
        HOLDPOINT_STORE: 'paper',
        HOLDPOINT_MASTER_KEY: secrets[0] as string,
        HOLDPOINT_BOOTSTRAP_TOKEN: secrets[1] as string,
        HOLDPOINT_BASE_URL: `https://somebody:${secrets[2]}@example.org/`,
        HOLDPOINT_ROLES: 'api,boss',
        HOLDPOINT_MAX_SEGMENTS: '0',
        HOLDPOINT_LEASE_SECONDS: '1.5',
        HOLDPOINT_RETENTION_DAYS: '0',
        HOLDPOINT_KEEP_CONTENT_DAYS: '-1',
        HOLDPOINT_RATE_ANSWERS: 'many',
        HOLDPOINT_OIDC_ISSUER: `http://example.org/${secrets[3]}`,
        HOLDPOINT_OIDC_CLIENT_SECRET: `${secrets[4]}ü`,
        HOLDPOINT_DEMO: 'yes',
        HOLDPOINT_LOG_LEVEL: 'loud',
      },
    });
    expect(code).toBe(1);
    const sentences = output.trimEnd().split('\n');
    expect(sentences.map((sentence) => sentence.split(' ')[0]).sort()).toEqual([
      'HOLDPOINT_BASE_URL',
      'HOLDPOINT_BOOTSTRAP_TOKEN',
      'HOLDPOINT_DEMO',
      'HOLDPOINT_KEEP_CONTENT_DAYS',
      'HOLDPOINT_LEASE_SECONDS',
      'HOLDPOINT_LOG_LEVEL',
      'HOLDPOINT_MASTER_KEY',
      'HOLDPOINT_MAX_SEGMENTS',
      'HOLDPOINT_OIDC_CLIENT_SECRET',
      'HOLDPOINT_OIDC_ISSUER',
      'HOLDPOINT_RATE_ANSWERS',
      'HOLDPOINT_RETENTION_DAYS',
      'HOLDPOINT_ROLES',
      'HOLDPOINT_STORE',
      'HOST',
      'PORT',
    ]);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z_]+ must .+\.$/);
    for (const value of [...secrets, 'somebody', 'paper', 'boss', '70000']) expect(output).not.toContain(value);
    expect(filesIn(folder.path)).toEqual([]);
  }, 60_000);

  const input = { type: 'object', properties: { a: { type: 'string' } } };
  const tool = { name: 'of_the_test', description: 'A tool.', effect: 'read_only', parameters: { type: 'object' } };

  it.each<[rule: string, what: string, declarations: readonly object[], sentence: RegExp]>([
    ['INP-5', 'an unknown keyword', [{ ...tool, inputSchema: { ...input, nullable: true } }], /nullable/],
    [
      'INP-5',
      'a schema of more than 64 KiB',
      [{ ...tool, inputSchema: { ...input, description: 'x'.repeat(70_000) } }],
      /65536|64 KiB/,
    ],
    ['INP-7', 'input for a write', [{ ...tool, effect: 'idempotent_write', inputSchema: input }], /approval-bound/],
    ['INP-7', 'input and approval', [{ ...tool, approval: true, inputSchema: input }], /approval/],
  ])(
    '%s ends with a sentence that names the tool, for one with %s',
    async (_rule, _what, declarations, sentence) => {
      const dataDir = join(folder.path, 'tools');
      const { code, output } = await failedStart({
        dataDir,
        program,
        env: { PROBE_TOOLS: JSON.stringify(declarations) },
      });
      expect(code).toBe(1);
      expect(output).toMatch(/^tool "of_the_test" cannot be registered: .+\n$/);
      expect(output).toMatch(sentence);
    },
    60_000,
  );

  it('says which variable is to blame where nothing can be stored', async () => {
    const file = join(compiled.path, 'package.json');
    const noFolder = await failedStart({ dataDir: file });
    expect(noFolder).toEqual({ code: 1, output: expect.stringMatching(/^HOLDPOINT_DATA_DIR must .+ \(EEXIST\)\.\n$/) });
  }, 60_000);
});

// A log has one first start, so each test begins a log of its own.
describe.each(OWN_STORES)('a start on %s', (_name, open) => {
  const aside = scratchFolder();
  let store: StoreUnderTest;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.remove());
  afterAll(() => aside.remove());

  /** What the data folder holds, byte for byte; what processes share while they run is no data. */
  function contentsOf(path: string): Record<string, string> {
    const files = filesIn(path).filter((file) => !file.endsWith('-shm'));
    return Object.fromEntries(
      files.map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(path, file)))
          .digest('hex'),
      ]),
    );
  }

  it('says which variable is to blame where nothing can be listened at, and keeps no token to itself', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    const env = { PORT: `${port}`, HOLDPOINT_BOOTSTRAP_TOKEN: '' };
    const taken = await failedStart(store.nodeOptions(env, { node: 0 }));
    expect(taken).toEqual({ code: 1, output: expect.stringMatching(/^PORT and HOST must .+ \(EADDRINUSE\)\.\n$/) });
    other.close();
    const service = await store.startNode({ HOLDPOINT_BOOTSTRAP_TOKEN: '' }, { node: 0 });
    // The first start made no administrator, since nobody would have known the token.
    expect(tokenIn(service.output)).toBeDefined();
    await service.stop();
  }, 60_000);

  function tokenIn(output: string): string | undefined {
    return /^Token of the administrator "admin", shown this once: (\S+)$/m.exec(output)?.[1];
  }

  it('SEA-4 needs the master key that the log was sealed with, and goes on with it where it was', async () => {
    // The key is in the node's folder on both: made there by the first start, or put there for every node of a cluster.
    const env = { HOLDPOINT_BOOTSTRAP_TOKEN: '', HOLDPOINT_DEMO: '1', HOLDPOINT_MASTER_KEY: '' };
    const { dataDir } = store.nodeOptions(env, { node: 0 });
    const key = join(dataDir, 'master.key');
    const start = (more: Readonly<Record<string, string>> = {}) =>
      failedStart(store.nodeOptions({ ...env, ...more }, { node: 0 }));
    if (!store.inFolder) {
      expect(await start()).toEqual({ code: 1, output: expect.stringMatching(/^There is no master key/) });
      writeFileSync(key, MasterKey.generate(), { mode: 0o600 });
    }
    const first = await store.startNode(env, { node: 0 });
    const token = tokenIn(first.output);
    const headers = { prefer: 'wait=30' };
    const body = { configurationId: 'demo', input: 'go' };
    const started = await first.request('POST', '/api/v1/runs', { token, headers, body });
    expect(started.body.status).toBe('waiting_for_input');
    expect(await first.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(unfinishedIn(dataDir)).toEqual([]);
    const before = contentsOf(dataDir);
    const log = await store.logAndKeys();

    renameSync(key, join(aside.path, 'taken-away.key'));
    const { 'master.key': _key, ...others } = before;
    const missing = await start();
    expect(missing).toEqual({
      code: 1,
      output: expect.stringMatching(/^There is no master key, but there is data .+\n$/),
    });
    expect(contentsOf(dataDir)).toEqual(others);

    const wrong = randomBytes(32).toString('base64');
    const mistaken = await start({ HOLDPOINT_MASTER_KEY: wrong });
    expect(mistaken).toEqual({ code: 1, output: expect.stringMatching(/^[^\n]*master key[^\n]*\n$/i) });
    expect(mistaken.output).not.toContain(wrong);
    renameSync(join(aside.path, 'taken-away.key'), key);

    chmodSync(key, 0o644);
    const exposed = await start();
    expect(exposed).toEqual({ code: 1, output: expect.stringContaining(`chmod 600 ${key}`) });
    expect(exposed.output).not.toContain(readFileSync(key, 'utf8').trim());
    chmodSync(key, 0o600);
    expect(contentsOf(dataDir)).toEqual(before);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(await store.logAndKeys()).toEqual(log);

    const second = await store.startNode(env, { node: 0 });
    expect(tokenIn(second.output)).toBeUndefined();
    expect(second.output).not.toContain('shown this once');
    const { body: pause } = await second.request('GET', `/api/v1/runs/${started.body.id}/pause`, { token });
    expect(pause.turnDigest).toBe(started.body.pause.turnDigest);
    await second.stop();
  }, 90_000);
});
