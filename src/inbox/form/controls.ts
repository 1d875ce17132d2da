import type { JsonValue } from '../../events/json.js';
import { isIJsonNumber, parseIJson } from '../../run/i-json.js';
import { type Option, option } from './alternatives.js';
import type { Facets } from './facets.js';
import type { Control, TextInput } from './field.js';

/** Up to so many options are shown at once; more are a list to choose from. */
const MOST_RADIOS = 6;

/** A text that may be longer than this gets room for lines. */
const LONG_TEXT = 120;

interface Filled {
  readonly control: Control;
  readonly value: JsonValue | undefined;
}

/**
 * The control of a single value, and the value in it.
 *
 * @param texts as posted; undefined where the control was not on the page, so that the default stands
 */
export function controlOf(texts: readonly string[] | undefined, facets: Facets, preset: JsonValue | undefined): Filled {
  const [type, ...others] = facets.types;
  const { constant, options } = facets;
  if (constant !== undefined && typeof constant !== 'string') return confirmation(texts, constant);
  if (options !== null) return choice(texts, options, preset);
  if (others.length > 0 || type === undefined) {
    return constant === undefined ? json(texts, preset) : text(texts, facets, preset);
  }
  switch (type) {
    case 'string':
      return text(texts, facets, preset);
    case 'number':
    case 'integer':
      return number(texts, type === 'integer', preset);
    case 'boolean':
      return yesOrNo(texts, preset);
    default:
      return json(texts, preset);
  }
}

/** A value that must be confirmed is never filled in for anybody, whatever the schema's default says. */
function confirmation(texts: readonly string[] | undefined, constant: JsonValue): Filled {
  const only = option(constant);
  const chosen = texts?.at(-1) === only.token ? only.token : null;
  return {
    control: { kind: 'choice', as: 'confirm', options: [only], chosen },
    value: chosen === null ? undefined : constant,
  };
}

function choice(
  texts: readonly string[] | undefined,
  options: readonly Option[],
  preset: JsonValue | undefined,
): Filled {
  const token = texts === undefined ? JSON.stringify(preset) : texts.at(-1);
  const chosen = options.find((one) => one.token === token);
  const as = options.length > MOST_RADIOS ? 'select' : 'radios';
  return { control: { kind: 'choice', as, options, chosen: chosen?.token ?? null }, value: chosen?.value };
}

const YES_AND_NO: readonly Option[] = [
  { token: 'true', value: true, label: 'true' },
  { token: 'false', value: false, label: 'false' },
];

/** Two options, so that "no" and "not answered" are told apart. */
function yesOrNo(texts: readonly string[] | undefined, preset: JsonValue | undefined): Filled {
  const { control, value } = choice(texts, YES_AND_NO, preset);
  return { control: { ...control, as: 'yes_no' } as Control, value };
}

const INPUTS: Readonly<Record<string, TextInput>> = { date: 'date', email: 'email', uri: 'url' };
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** An empty text is no answer. */
function text(texts: readonly string[] | undefined, facets: Facets, preset: JsonValue | undefined): Filled {
  const isConfirmation = facets.constant !== undefined;
  const atFirst = typeof preset === 'string' && !isConfirmation ? preset : '';
  // Browsers post line ends as CRLF; what is sent on has the ones that were typed.
  const typed = (texts?.at(-1) ?? (texts === undefined ? atFirst : '')).replaceAll('\r\n', '\n');
  const control: Control = {
    kind: 'text',
    input: textInput(typed, facets),
    format: facets.format,
    text: typed,
    examples: facets.examples,
  };
  return { control, value: typed === '' ? undefined : typed };
}

function textInput(typed: string, { format, longestText }: Facets): TextInput {
  if (typed.includes('\n') || (longestText !== null && longestText > LONG_TEXT)) return 'long';
  const input = INPUTS[format ?? ''] ?? 'text';
  // A date input would lose what is no date, and everything typed is kept.
  return input === 'date' && typed !== '' && !DATE.test(typed) ? 'text' : input;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** What is no number stays the text that it is, for the validator to say so. */
function number(texts: readonly string[] | undefined, whole: boolean, preset: JsonValue | undefined): Filled {
  const atFirst = typeof preset === 'number' ? String(preset) : '';
  const typed = texts?.at(-1) ?? (texts === undefined ? atFirst : '');
  const digits = typed.trim();
  const inexact = NUMBER.test(digits) && !isIJsonNumber(digits);
  return { control: { kind: 'number', whole, text: typed, inexact }, value: numberIn(typed) };
}

function numberIn(typed: string): JsonValue | undefined {
  const digits = typed.trim();
  if (digits === '') return undefined;
  return NUMBER.test(digits) && isIJsonNumber(digits) ? Number(digits) : typed;
}

/** Shown as JSON, and read as strictly as any body (INP-4). What cannot be read is no value, and says so. */
function json(texts: readonly string[] | undefined, preset: JsonValue | undefined): Filled {
  const atFirst = preset === undefined ? '' : JSON.stringify(preset, null, 2);
  const typed = texts?.at(-1) ?? (texts === undefined ? atFirst : '');
  if (typed.trim() === '') return { control: { kind: 'json', text: typed, unreadable: false }, value: undefined };
  const reading = parseIJson(typed);
  return {
    control: { kind: 'json', text: typed, unreadable: !reading.ok },
    value: reading.ok ? reading.value : undefined,
  };
}
