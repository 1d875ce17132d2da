import { propertyForLinearEngine } from './unicode-properties.js';

/** A pattern that cannot be used, with a sentence for the author of its schema. */
export class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/** The linear engine takes no repeat above this. */
const MAX_REPEAT = 1_000;

/**
 * Writes a pattern of JavaScript (`u` flag) as the same pattern of RE2. The two languages look alike and differ in what they call
 * white space, in `.`, in escapes and in class syntax, so every element is written out by its code points; captures are dropped,
 * for nobody asks for them.
 *
 * @throws {PatternRefused} where it is no pattern of JavaScript, or looks around or back
 */
export function translatePattern(source: string): string {
  try {
    new RegExp(source, 'u');
  } catch {
    throw new PatternRefused('is not a regular expression of JavaScript (with the "u" flag)');
  }
  return new Translation(source).result();
}

/** Reads a source that is known to be valid, from left to right. */
class Translation {
  private at = 0;

  constructor(private readonly source: string) {}

  result(): string {
    let translated = '';
    while (this.at < this.source.length) translated += this.element();
    return translated;
  }

  private element(): string {
    const character = this.take();
    switch (character) {
      case '\\':
        return this.escapeOutsideClass();
      case '[':
        return this.characterClass();
      case '(':
        return this.groupOpening();
      case '{':
        return this.repeat();
      case '.':
        return NOT_A_LINE_END;
      case ')':
      case '|':
      case '^':
      case '$':
      case '*':
      case '+':
      case '?':
        return character;
      default:
        return codePoint(character);
    }
  }

  private groupOpening(): string {
    if (!this.skip('?')) return '(?:';
    if (this.skip(':')) return '(?:';
    if (this.ahead(/[=!]|<[=!]/y)) throw new PatternRefused('looks around, which takes more than linear time');
    if (this.ahead(/<[^>]*>/y) === undefined) throw new PatternRefused('switches flags, which not every engine knows');
    return '(?:';
  }

  private repeat(): string {
    const bounds = this.ahead(/\d+(?:,\d*)?\}/y) ?? '';
    if (bounds.split(/\D/).some((bound) => Number(bound) > MAX_REPEAT)) {
      throw new PatternRefused(`repeats more than ${MAX_REPEAT} times; say lengths with minLength and maxLength`);
    }
    return `{${bounds}`;
  }

  private escapeOutsideClass(): string {
    const shorthand = this.ahead(/[bBdDwW]/y);
    if (shorthand !== undefined) return `\\${shorthand}`;
    if (this.ahead(/[1-9]|k/y)) throw new PatternRefused('refers back to a group, which takes more than linear time');
    return this.setEscape(false) ?? codePoint(this.escapedCharacter());
  }

  private characterClass(): string {
    const negated = this.skip('^');
    let members = '';
    while (!this.skip(']')) members += this.classMember();
    if (members === '') return negated ? `[${EVERYTHING}]` : `[^${EVERYTHING}]`;
    return `[${negated ? '^' : ''}${members}]`;
  }

  private classMember(): string {
    if (!this.skip('\\')) return this.range(codePoint(this.take()));
    const shorthand = this.ahead(/[dDwW]/y);
    if (shorthand !== undefined) return `\\${shorthand}`;
    if (this.skip('b')) return this.range(codePoint('\b'));
    return this.setEscape(true) ?? this.range(codePoint(this.escapedCharacter()));
  }

  /** A hyphen after a character makes a range, unless the class ends behind it. */
  private range(first: string): string {
    if (!this.ahead(/-(?!\])/y)) return first;
    let last = this.take();
    if (last === '\\') last = this.skip('b') ? '\b' : this.escapedCharacter();
    return `${first}-${codePoint(last)}`;
  }

  /** Escapes that stand for a set of characters and mean something else, or nothing, to the linear engine. */
  private setEscape(inClass: boolean): string | undefined {
    if (this.skip('s')) return inClass ? SPACES : `[${SPACES}]`;
    if (this.skip('S')) return inClass ? NO_SPACES : `[${NO_SPACES}]`;
    const property = this.ahead(/[pP]\{[^}]*\}/y);
    if (property === undefined) return undefined;
    const ascii = { 'p{ASCII}': ASCII, 'P{ASCII}': NO_ASCII }[property];
    if (ascii !== undefined) return inClass ? ascii : `[${ascii}]`;
    const known = propertyForLinearEngine(property.slice(2, -1));
    if (known === undefined) throw new PatternRefused('uses a Unicode property that is not known here');
    return `\\${property[0]}{${known}}`;
  }

  /** What follows the backslash, when it stands for one character. */
  private escapedCharacter(): string {
    const pair = this.ahead(/u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y);
    if (pair !== undefined) return String.fromCharCode(hex(pair.slice(1, 5)), hex(pair.slice(7)));
    const hexadecimal = this.ahead(/u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}/y);
    if (hexadecimal !== undefined) return String.fromCodePoint(hex(hexadecimal.replaceAll(/[ux{}]/g, '')));
    const control = this.ahead(/c[a-zA-Z]/y);
    if (control !== undefined) return String.fromCharCode(control.charCodeAt(1) % 32);
    const character = this.take();
    return CONTROL_ESCAPES.get(character) ?? character;
  }

  private take(): string {
    const character = String.fromCodePoint(this.source.codePointAt(this.at) ?? 0);
    this.at += character.length;
    return character;
  }

  private skip(expected: string): boolean {
    if (!this.source.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** What the sticky expression finds here, and steps over it. */
  private ahead(expected: RegExp): string | undefined {
    expected.lastIndex = this.at;
    const found = expected.exec(this.source)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}

function codePoint(character: string): string {
  return `\\x{${character.codePointAt(0)?.toString(16)}}`;
}

function hex(digits: string): number {
  return Number.parseInt(digits, 16);
}

const CONTROL_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['0', '\0'],
]);

const EVERYTHING = '\\x{0}-\\x{10ffff}';
const NOT_A_LINE_END = '[^\\x{a}\\x{d}\\x{2028}\\x{2029}]';

const ASCII = '\\x{0}-\\x{7f}';
const NO_ASCII = '\\x{80}-\\x{10ffff}';

/** White space and line ends as ECMAScript counts them. */
const SPACES =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACES =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
