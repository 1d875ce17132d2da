import { renderToString } from 'preact-render-to-string';
import { de } from '../../src/inbox/messages/de.js';
import { en } from '../../src/inbox/messages/en.js';
import { languageFor } from '../../src/inbox/messages/language.js';
import { Arguments } from '../../src/inbox/parts/arguments.js';
import { stretches } from '../../src/inbox/parts/visible-text.js';

/** The names of all texts, however deep. */
function names(texts: object, at = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'object' ? names(text, `${at}${name}.`) : [`${at}${name}`],
  );
}

describe('text on the pages', () => {
  it('is there in both languages, word by word', () => {
    expect(names(de).sort()).toEqual(names(en).sort());
    expect(names(en).length).toBeGreaterThan(200);
  });

  it('is in the language that was chosen, else in the one that the browser prefers', () => {
    expect(languageFor('de', 'en')).toBe('de');
    expect(languageFor(undefined, 'fr, de-AT;q=0.8, en;q=0.5')).toBe('de');
    expect(languageFor('xx', 'fr')).toBe('en');
  });

  it('shows what nobody would see as a mark, and pictures as pictures', () => {
    expect(stretches('a\u200Bb')).toEqual([
      { kind: 'plain', text: 'a' },
      { kind: 'hidden', code: 'U+200B', times: 1 },
      { kind: 'plain', text: 'b' },
    ]);
    expect(stretches('\u202E'.repeat(1_000))).toEqual([{ kind: 'hidden', code: 'U+202E', times: 1_000 }]);
    for (const seen of ['\u{1F468}\u200D\u{1F469}\u200D\u{1F467}', '\u2764\uFE0F', 'مرحبا', 'a\nb\tc']) {
      expect(stretches(seen)).toEqual([{ kind: 'plain', text: seen }]);
    }
    for (const unseen of ['\u0000', '\u00AD', '\uFEFF', '\u2066', '\u{E0041}', '\u3164']) {
      expect(stretches(unseen)[0]?.kind).toBe('hidden');
    }
  });

  it('of arguments is whole however long, and never markup', () => {
    const long = 'x'.repeat(200_000);
    const page = renderToString(<Arguments value={{ long, markup: '</script><img onerror="1">' }} label="a" t={en} />);
    expect(page).toContain(long);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('</script>');
  });
});
