import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { MasterKey, type MasterKeyFault } from '../../src/event-store/master-key.js';
import { loadMasterKey } from '../../src/event-store/master-key-file.js';
import { compilePrograms, exitOf, nextMessage, startProgram } from '../support/compiled-processes.js';
import { aMasterKey } from '../support/key-samples.js';
import { scratchFolder } from '../support/scratch-folder.js';

// Starting processes takes seconds on a busy machine.
jest.setTimeout(30_000);

describe('the master key', () => {
  const folder = scratchFolder();
  let number = 0;
  let data: string;
  let file: string;

  beforeEach(() => {
    number += 1;
    data = join(folder.path, `${number}`);
    mkdirSync(data);
    file = join(data, 'master.key');
  });
  afterAll(() => folder.remove());

  const fault = (expected: MasterKeyFault) => expect.objectContaining({ name: 'MasterKeyUnusable', fault: expected });
  const first = { hasSealedData: false };

  it('SEA-4 is made at the first start, for its owner only, and is the same at the next', () => {
    const made = loadMasterKey({ file, ...first });

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    expect(readdirSync(data)).toEqual(['master.key']);
    expect(loadMasterKey({ file, hasSealedData: true }).checkValue).toEqual(made.checkValue);
    expect(loadMasterKey({ file, ...first }).checkValue).toEqual(made.checkValue);
  });

  it('SEA-4 is not made beside data that another key has sealed', () => {
    const load = () => loadMasterKey({ file, hasSealedData: true });

    expect(load).toThrow(fault('missing'));
    expect(load).toThrow(`Put the key back at ${file}, or set HOLDPOINT_MASTER_KEY.`);
    expect(readdirSync(data)).toEqual([]);
  });

  it('SEA-4 is taken from the environment alone when it is there', () => {
    const encoded = MasterKey.generate();
    writeFileSync(file, MasterKey.generate(), { mode: 0o600 });

    const key = loadMasterKey({ fromEnvironment: encoded, file, hasSealedData: true });

    expect(key.checkValue).toEqual(MasterKey.parse(encoded, 'this test').checkValue);
  });

  it.each([
    ['', 'empty'],
    ['AAAA', 'too short'],
    [Buffer.alloc(33, 1).toString('base64'), 'too long'],
    [Buffer.alloc(32, 0xff).toString('base64url'), 'base64url'],
    [Buffer.alloc(32, 1).toString('base64').replace('=', ''), 'without padding'],
    [` ${Buffer.alloc(32, 1).toString('base64')}`, 'with a space'],
    [Buffer.alloc(32, 1).toString('hex'), 'hexadecimal'],
    ['x'.repeat(43), 'not the canonical spelling'],
  ])('SEA-4 must be 32 bytes in base64, not %p (%s)', (encoded) => {
    writeFileSync(file, encoded, { mode: 0o600 });

    const load = () => loadMasterKey({ fromEnvironment: encoded, file, ...first });

    expect(load).toThrow(fault('malformed'));
    expect(load).toThrow('The master key in HOLDPOINT_MASTER_KEY is not 32 bytes in base64');
    expect(() => loadMasterKey({ file, ...first })).toThrow(fault('malformed'));
    expect(readFileSync(file, 'utf8')).toBe(encoded);
  });

  it('SEA-4 must not be open to everybody on the machine', () => {
    loadMasterKey({ file, ...first });
    for (const mode of [0o644, 0o602]) {
      chmodSync(file, mode);
      expect(() => loadMasterKey({ file, ...first })).toThrow(fault('exposed'));
    }
    for (const mode of [0o400, 0o600, 0o660]) {
      chmodSync(file, mode);
      expect(() => loadMasterKey({ file, ...first })).not.toThrow();
    }
  });

  it('SEA-4 is missed with a clear sentence when its folder is not there', () => {
    const nowhere = join(data, 'no', 'master.key');
    expect(() => loadMasterKey({ file: nowhere, ...first })).toThrow(fault('unreadable'));
  });

  it('SEA-4 is one key for all processes that start at the same moment', async () => {
    const programs = scratchFolder();
    compilePrograms(programs.path, 'load-master-key');

    const processes = [1, 2, 3, 4].map(() => startProgram(programs.path, 'load-master-key'));
    await Promise.all(processes.map((child) => nextMessage(child)));
    for (let round = 0; round < 25; round += 1) {
      const fresh = `${file}${round}`;
      const answers = processes.map((child) => nextMessage<string>(child));
      for (const child of processes) child.send(fresh);
      const mark = loadMasterKey({ file: fresh, ...first }).checkValue.toString('hex');
      expect(new Set(await Promise.all(answers))).toEqual(new Set([mark]));
    }
    for (const child of processes) child.disconnect();
    await Promise.all(processes.map(exitOf));
    programs.remove();
  });

  it('opens only what it wrapped, for what it was bound to, unchanged', () => {
    const key = aMasterKey();
    const secret = Buffer.alloc(32, 7);
    const wrapped = key.wrap(secret, 'run-1/working');

    expect(key.unwrap(wrapped, 'run-1/working')).toEqual(secret);
    expect(key.wrap(secret, 'run-1/working')).not.toEqual(wrapped);
    expect(() => key.unwrap(wrapped, 'run-1/outcome')).toThrow();
    expect(() => aMasterKey().unwrap(wrapped, 'run-1/working')).toThrow();
    for (let index = 0; index < wrapped.length; index += 1) {
      const changed = Buffer.from(wrapped);
      changed.writeUInt8((changed[index] as number) ^ 1, index);
      expect(() => key.unwrap(changed, 'run-1/working')).toThrow();
    }
    expect(() => key.unwrap(wrapped.subarray(0, 40), 'run-1/working')).toThrow();
  });

  it('derives a key of its own for each purpose, and shows itself nowhere', () => {
    const encoded = MasterKey.generate();
    const key = MasterKey.parse(encoded, 'this test');

    expect(key.derive('ids')).toEqual(MasterKey.parse(encoded, 'this test').derive('ids'));
    expect(key.derive('ids').id).toBe('master/ids');
    const derived = [key.derive('ids').secret, key.derive('other').secret, key.checkValue].map((bytes) =>
      bytes.toString('hex'),
    );
    expect(new Set(derived).size).toBe(3);
    const shown = `${inspect(key, { showHidden: true, depth: 9 })}${JSON.stringify(key)}`;
    const secret = Buffer.from(encoded, 'base64');
    for (const spelling of [encoded, secret.toString('hex'), secret.toString('latin1')]) {
      expect(shown).not.toContain(spelling);
    }
  });
});
