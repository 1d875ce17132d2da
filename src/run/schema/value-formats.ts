import { fullFormats } from 'ajv-formats/dist/formats.js';
import { spendEffort } from './check-effort.js';

/**
 * The values of `format` that are checked: those of JSON Schema 2020-12 that can be checked exactly and in linear time. Any other
 * is an annotation (INP-5), the internationalised ones and OpenAPI's among them.
 */
export const CHECKED_FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map(
  (
    [
      ['date', checkOf('date')],
      ['time', both(/^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i, checkOf('time'))],
      ['date-time', both(/^[\d-]{10}t[\d:]{8}(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i, checkOf('date-time'))],
      ['duration', checkOf('duration')],
      ['email', checkOf('email')],
      ['hostname', checkOf('hostname')],
      ['ipv4', checkOf('ipv4')],
      ['ipv6', checkOf('ipv6')],
      ['uri', checkOf('uri')],
      ['uri-reference', checkOf('uri-reference')],
      ['uri-template', checkOf('uri-template')],
      ['uuid', both(/^[^:]*$/, checkOf('uuid'))],
      ['json-pointer', checkOf('json-pointer')],
      ['relative-json-pointer', checkOf('relative-json-pointer')],
      ['regex', isRegularExpression],
    ] as const
  ).map(([name, check]) => [name, metered(check, name === 'regex' ? 2 : 20)]),
);

type CheckedByAjv = Exclude<keyof typeof fullFormats, 'regex'>;

/** ajv-formats states a format as an expression, as a function, or as one of them with a way to compare. */
function checkOf(name: CheckedByAjv): (text: string) => boolean {
  const format: unknown = fullFormats[name];
  const check = typeof format === 'object' && format !== null && 'validate' in format ? format.validate : format;
  if (check instanceof RegExp) return (text) => check.test(text);
  if (typeof check === 'function') return (text) => check(text) === true;
  throw new Error(`ajv-formats has no check for the format ${name}`);
}

/** ajv-formats also takes a blank for the "T", offsets without a colon, and URNs of UUIDs; the standards it names do not. */
function both(shape: RegExp, check: (text: string) => boolean): (text: string) => boolean {
  return (text) => shape.test(text) && check(text);
}

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Characters that one unit of effort pays for, as measured on texts that nearly have the format. */
function metered(check: (text: string) => boolean, charactersPerUnit: number): (text: string) => boolean {
  return (text) => {
    spendEffort(1 + Math.floor(text.length / charactersPerUnit));
    return check(text);
  };
}
