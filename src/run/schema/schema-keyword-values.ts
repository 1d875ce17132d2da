import { isJsonObject, type JsonValue } from '../../events/json.js';
import { compileLinearPattern } from './linear-pattern.js';
import { PatternRefused } from './pattern-translation.js';
import type { KeywordValue } from './schema-keywords.js';

/**
 * Why `value` cannot be the value of this keyword, as the rest of a sentence that begins with the keyword; `undefined` where it can. Schemas
 * inside the value are judged by the reading, one by one.
 */
export function refusalOfValue(keyword: string, kind: KeywordValue, value: JsonValue): string | undefined {
  switch (kind) {
    case 'schema':
    case 'value':
      return undefined;
    case 'schemas':
      return Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of one or more schemas';
    case 'schemas_by_name':
      return isJsonObject(value) ? refusalOfNames(Object.keys(value)) : 'must be an object of schemas';
    case 'schemas_by_pattern':
      if (!isJsonObject(value)) return 'must be an object of schemas';
      return refusalOfNames(Object.keys(value)) ?? firstRefusal(Object.keys(value), refusalOfPattern);
    case 'reference':
      return refusalOfReference(value);
    case 'anchor':
      return typeof value === 'string' && ANCHOR.test(value)
        ? undefined
        : 'must be a name of letters, digits, ".", "_", "-"';
    case 'type_names':
      return refusalOfTypeNames(value);
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be a whole number, 0 or more';
    case 'number':
      return typeof value === 'number' ? undefined : numberExpected(keyword, value);
    case 'positive_number':
      return typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'names':
      return refusalOfNameList(value);
    case 'names_by_name':
      if (!isJsonObject(value)) return 'must be an object of lists of names';
      return refusalOfNames(Object.keys(value)) ?? firstRefusal(Object.values(value), refusalOfNameList);
    case 'pattern':
      return typeof value === 'string' ? refusalOfPattern(value) : 'must be a regular expression';
    case 'text':
      return typeof value === 'string' ? undefined : 'must be a text';
    case 'values':
      return Array.isArray(value) ? undefined : 'must be a list of values';
  }
}

function firstRefusal<Item>(items: readonly Item[], judge: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const refusal = judge(item);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The one name that JavaScript does not treat as a name everywhere (INP-6). */
function refusalOfNames(names: readonly string[]): string | undefined {
  return names.includes('__proto__') ? 'must not declare the name "__proto__"' : undefined;
}

function refusalOfNameList(value: JsonValue): string | undefined {
  if (value === true || value === false) return 'must be a list of names, beside "properties"';
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string')) return 'must be a list of names';
  if (new Set(value).size !== value.length) return 'must not name anything twice';
  return refusalOfNames(value);
}

const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;

function refusalOfReference(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return 'must be a text such as "#/$defs/address"';
  if (!value.startsWith('#')) return 'must begin with "#": only this document can be referred to';
  try {
    decodeURIComponent(value);
    return undefined;
  } catch {
    return 'is not percent-encoded as a URI is';
  }
}

const TYPE_NAMES: ReadonlySet<JsonValue> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'string',
  'integer',
]);

function refusalOfTypeNames(value: JsonValue): string | undefined {
  if (value === 'any') return 'must name a type: leave it out where any will do';
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0 || !names.every((name) => TYPE_NAMES.has(name))) {
    return `must be one or several of ${[...TYPE_NAMES].join(', ')}`;
  }
  return new Set(names).size === names.length ? undefined : 'must not name a type twice';
}

function numberExpected(keyword: string, value: JsonValue): string {
  const inclusive = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' }[keyword];
  if (typeof value !== 'boolean' || inclusive === undefined) return 'must be a number';
  return `must be a number: write the limit here in place of "${inclusive}"`;
}

function refusalOfPattern(source: string): string | undefined {
  try {
    compileLinearPattern(source);
    return undefined;
  } catch (error) {
    if (error instanceof PatternRefused) return error.message;
    throw error;
  }
}
