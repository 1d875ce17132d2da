import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(process.cwd(), 'src', 'inbox');

/** Each of them would make markup of text, or style of an attribute, past the policy of the pages. */
const BANNED =
  /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\bstyle=|\.style\b|\bon[A-Z]\w+=/;

describe('the source of the pages', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

  it('was read', () => {
    expect(files.length).toBeGreaterThan(40);
  });

  it.each(files)('%s makes no markup of text, and has no style or handler in an attribute', (name) => {
    expect(readFileSync(join(FOLDER, name), 'utf8')).not.toMatch(BANNED);
  });
});
