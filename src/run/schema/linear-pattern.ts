import { RE2JS, RE2JSException } from 're2js';
import { spendEffort } from './check-effort.js';
import { PatternRefused, translatePattern } from './pattern-translation.js';

/**
 * A `pattern` of a schema, matched in linear time. JavaScript's own engine tries every way to split a text that nearly
 * matches: `^(a+)+$` takes it half a minute on 31 characters.
 */
export interface LinearPattern {
  /** Whether the pattern occurs anywhere in the text; anchors are the pattern's own business. */
  test(text: string): boolean;
  /** The pattern as the schema has it. */
  toString(): string;
}

/** Instructions that one pattern may compile to; about what `{1000}` around two characters takes. */
const MAX_INSTRUCTIONS = 5_000;

/** Instructions times characters that cost one unit of effort: in the worst case that was measured, 10 ns each. */
const STEPS_PER_UNIT = 50;

/**
 * Compiles a pattern of JavaScript with the `u` flag, as JSON Schema 2020-12 has it.
 *
 * @throws {PatternRefused} with a sentence for the schema's author
 */
export function compileLinearPattern(source: string): LinearPattern {
  const compiled = compile(translatePattern(source));
  const instructions = compiled.programSize();
  if (instructions > MAX_INSTRUCTIONS) throw new PatternRefused(TOO_LARGE);
  return {
    test: (text) => {
      spendEffort(1 + Math.floor((text.length * instructions) / STEPS_PER_UNIT));
      return compiled.test(text);
    },
    toString: () => source,
  };
}

const TOO_LARGE = 'repeats too much to be matched in bounded time; say lengths with minLength and maxLength';

function compile(translated: string): RE2JS {
  try {
    return RE2JS.compile(translated);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The syntax is JavaScript's already, and what the engine cannot do is refused by name: what is left is its limit on nested repeats.
    throw new PatternRefused(TOO_LARGE);
  }
}
