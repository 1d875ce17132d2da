import { join } from 'node:path';
import { TokenUseFile } from '../../src/projections/tokens/token-use-file.js';
import { scratchFolder } from '../support/scratch-folder.js';

const MINUTE_MS = 60_000;

describe('the last use of tokens', () => {
  let nowMs = Date.parse('2030-01-01T00:00:00.000Z');
  const folder = scratchFolder();
  afterAll(() => folder.remove());

  it('is known to about a minute, for each token of a principal, and after a restart', () => {
    const path = join(folder.path, 'token-use.sqlite');
    const use = TokenUseFile.open(path, () => nowMs);
    use.note('olga', 't1');
    nowMs += MINUTE_MS / 2;
    use.note('olga', 't1');
    use.note('olga', 't2');
    expect(Object.fromEntries(use.lastUsed('olga'))).toEqual({
      t1: '2030-01-01T00:00:00.000Z',
      t2: '2030-01-01T00:00:30.000Z',
    });
    nowMs += MINUTE_MS;
    use.note('olga', 't1');
    use.close();

    const later = TokenUseFile.open(path, () => nowMs);
    expect(later.lastUsed('olga').get('t1')).toBe('2030-01-01T00:01:30.000Z');
    expect(later.lastUsed('somebody').size).toBe(0);
    later.close();
  });

  it('turns nobody away where it cannot be written down', () => {
    const use = TokenUseFile.open(':memory:', () => nowMs);
    use.close();
    expect(() => use.note('olga', 't1')).not.toThrow();
  });
});
