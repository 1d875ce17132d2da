import fc from 'fast-check';
import { compileLinearPattern } from '../../src/run/schema/linear-pattern.js';

const LITERALS = [
  'a',
  'b',
  '-',
  ' ',
  'é',
  '😀',
  '\\u{1F600}',
  '\\uD83D\\uDE00',
  '\\x41',
  '\\cA',
  '\\0',
  '\\n',
  '\\.',
  '\\/',
  '\\[',
  '\\]',
  '\\\\',
  '1',
  '_',
  '&',
  '=',
  '\u2028',
  '\u00a0',
];
const SETS = [
  '.',
  '\\s',
  '\\S',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\p{L}',
  '\\P{Lu}',
  '\\p{Script=Greek}',
  '\\p{sc=Latin}',
  '\\p{gc=Nd}',
  '\\p{Letter}',
  '\\p{ASCII}',
  '\\P{ASCII}',
  '\\p{White_Space}',
];
const IN_CLASS = [
  ...LITERALS.filter((literal) => literal !== '-'),
  ...SETS.slice(1),
  '\\-',
  '\\b',
  '.',
  '*',
  '(',
  '|',
  '{',
  '$',
  '[',
  'a-c',
  '0-9',
  '\\x20-\\x7e',
  'А-я',
  '😀-😂',
  '+-\\-',
];

const characterClass = fc
  .tuple(
    fc.constantFrom('[', '[^'),
    fc.constantFrom('', '-'),
    fc.array(fc.constantFrom(...IN_CLASS), { maxLength: 4 }),
    fc.constantFrom('', '-'),
  )
  .map(([open, first, members, last]) => `${open}${first}${members.join('')}${last}]`);

const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('term'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((branches) => branches.map((terms) => terms.join('')).join('|')),
  term: fc.oneof(
    { depthSize: 'small' },
    fc
      .tuple(fc.constantFrom(...LITERALS, ...SETS), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?', '{0}'))
      .map((parts) => parts.join('')),
    characterClass,
    fc.constantFrom('^', '$', '\\b'),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom(')', ')*', ')?', '){1,2}'))
      .map((parts) => parts.join('')),
  ),
}));

/** Parts that are fine by themselves can make none together: `\\0` before a digit. */
function isPatternOfJavaScript(source: string): boolean {
  try {
    return new RegExp(source, 'u') !== undefined;
  } catch {
    return false;
  }
}

const subject = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    'c',
    '-',
    ' ',
    'é',
    '😀',
    '😁',
    'A',
    '1',
    '_',
    '\n',
    '\r',
    '\u2028',
    '\t',
    '\0',
    '.',
    '[',
    ']',
    '\\',
    'α',
    'я',
    '\u00a0',
    '\ufeff',
    '\b',
    '٣',
    '&',
  ),
  maxLength: 5,
});

describe('patterns in linear time', () => {
  it('INP-4 match exactly what JavaScript matches with the "u" flag', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.boolean(),
        fc.array(subject, { minLength: 5, maxLength: 5 }),
        (inner, whole, subjects) => {
          const source = whole ? `^(?:${inner})$` : inner;
          fc.pre(isPatternOfJavaScript(source));
          const ours = compileLinearPattern(source);
          const theirs = new RegExp(source, 'u');
          for (const text of subjects) {
            expect([source, text, ours.test(text)]).toEqual([source, text, theirs.test(text)]);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('INP-4 find a match anywhere in the text unless they are anchored', () => {
    expect(compileLinearPattern('b').test('abc')).toBe(true);
    expect(compileLinearPattern('^b').test('abc')).toBe(false);
    expect(compileLinearPattern('c$').test('abc\n')).toBe(false);
  });

  it('know named groups, which are nobody’s business here', () => {
    expect(compileLinearPattern('^(?<year>\\d{4})-(?<month>\\d\\d)$').test('2026-01')).toBe(true);
  });

  it('keep the text of the schema for messages', () => {
    expect(String(compileLinearPattern('^\\p{Letter}$'))).toBe('^\\p{Letter}$');
  });

  it.each([
    ['(', /regular expression of JavaScript/],
    ['\\-', /regular expression of JavaScript/],
    ['a{2,1}', /regular expression of JavaScript/],
    ['\\p{Nonsense}', /regular expression of JavaScript/],
    ['(?=a)', /looks around/],
    ['(?!a)', /looks around/],
    ['(?<=a)b', /looks around/],
    ['(?<!a)b', /looks around/],
    ['(a)\\1', /refers back/],
    ['(?<x>a)\\k<x>', /refers back/],
    ['a{1001}', /repeats more than 1000/],
    ['a{0,2000}', /repeats more than 1000/],
    ['(?:a{500}){500}', /repeats too much/],
    ['(?:\\w{20}){50}(?:\\w{20}){50}(?:\\w{20}){50}(?:\\w{20}){50}(?:\\w{20}){50}(?:\\w{20}){50}', /repeats too much/],
    ['\\p{Script_Extensions=Greek}', /Unicode property/],
  ])('INP-5 refuse %s, and say why', (source, reason) => {
    expect(() => compileLinearPattern(source)).toThrow(reason);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(x+x+)+y', '^([a-z]+)*\\d$', '^(.*)*$', '^(\\w+\\s?)*$'])(
    'INP-4 answer %s in bounded time, on texts made to backtrack',
    (source) => {
      const compiled = compileLinearPattern(source);
      const started = performance.now();
      for (const text of ['a'.repeat(31), 'a'.repeat(300_000), 'x'.repeat(300_000)]) compiled.test(`${text}!`);
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );
});
