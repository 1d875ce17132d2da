import { isJsonObject, type JsonValue } from '../../events/json.js';
import { pointerTo } from '../json-pointer.js';
import type { RawFault } from './schema-compilation.js';

/** One thing that is wrong with an answer, for the person who gave it (INP-3). */
export interface AnswerFault {
  /**
   * JSON pointer into the answer. A missing member, an undeclared one, and one whose name is not allowed are pointed at themselves, so that
   * the fault can stand at its field.
   */
  readonly pointer: string;
  /** The keyword of the schema; or `maxDepth`, `maxNodes`, `maxEffort` for the bounds of the service. */
  readonly keyword: string;
  /** English, the rest of a sentence that begins with the field's name. Quotes the schema, never the answer (INP-11). */
  readonly message: string;
}

/** What a fault of the checker means to a person; `undefined` for one that only repeats others. */
export function answerFault(raw: RawFault): AnswerFault | undefined {
  // The faults of the branch that `if` chose are all there by themselves.
  if (raw.keyword === 'if') return undefined;
  const member = memberAtFault(raw);
  const pointer = member === undefined ? raw.instancePointer : pointerTo(raw.instancePointer, member);
  const message = messageOf(raw);
  return {
    pointer,
    keyword: raw.keyword,
    message: raw.propertyName === undefined ? message : `has a name that ${message}`,
  };
}

function memberAtFault({ keyword, params, propertyName }: RawFault): string | number | undefined {
  const member =
    propertyName ??
    {
      required: params.missingProperty,
      dependentRequired: params.missingProperty,
      additionalProperties: params.additionalProperty,
      propertyNames: params.propertyName,
      unevaluatedProperties: params.unevaluated,
      unevaluatedItems: params.unevaluated,
    }[keyword];
  return typeof member === 'string' || typeof member === 'number' ? member : undefined;
}

function messageOf({ keyword, params }: RawFault): string {
  switch (keyword) {
    case 'type':
      return `must be ${typeNames(params.type)}`;
    case 'required':
      return 'is required';
    case 'dependentRequired':
      return `is required once "${params.property}" is there`;
    case 'enum':
      return choiceOf(params.allowedValues);
    case 'const':
      return choiceOf([params.allowedValue]);
    case 'minimum':
      return `must be ${params.limit} or more`;
    case 'maximum':
      return `must be ${params.limit} or less`;
    case 'exclusiveMinimum':
      return `must be more than ${params.limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`;
    case 'minLength':
      return `must have ${counted(params.limit, 'character')} or more`;
    case 'maxLength':
      return `must have ${counted(params.limit, 'character')} or fewer`;
    case 'pattern':
      return `must match the pattern ${params.pattern}`;
    case 'format':
      return FORMAT_MESSAGES.get(String(params.format)) ?? `must have the format ${params.format}`;
    case 'minItems':
      return `must have ${counted(params.limit, 'item')} or more`;
    case 'maxItems':
      return `must have ${counted(params.limit, 'item')} or fewer`;
    case 'uniqueItems':
      return 'must not hold an item twice';
    case 'contains':
      return containsMessage(params.minContains, params.maxContains);
    case 'minProperties':
      return `must have ${counted(params.limit, 'member')} or more`;
    case 'maxProperties':
      return `must have ${counted(params.limit, 'member')} or fewer`;
    case 'propertyNames':
      return 'has a name that is not allowed';
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
    case 'false schema':
      return 'is not allowed here';
    case 'anyOf':
      return 'must fit at least one of the alternatives';
    case 'oneOf':
      return params.passingSchemas === null
        ? 'must fit one of the alternatives'
        : 'must fit only one of the alternatives';
    case 'not':
      return 'is something that the schema rules out';
    default:
      return `does not fit "${keyword}"`;
  }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
]);

function typeNames(type: unknown): string {
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return names.map((name) => TYPE_NAMES.get(String(name)) ?? String(name)).join(', or ');
}

/** More than this is no help in a sentence. */
const CHOICES_SHOWN = 10;
const CHARACTERS_SHOWN = 200;

function choiceOf(allowed: unknown): string {
  const values = allowed as readonly JsonValue[];
  const shown = values.map((value) => JSON.stringify(value)).join(', ');
  if (
    values.some((value) => isJsonObject(value) || Array.isArray(value)) ||
    values.length > CHOICES_SHOWN ||
    shown.length > CHARACTERS_SHOWN
  ) {
    return values.length === 1 ? 'must be the one value that is allowed' : 'must be one of the values that are allowed';
  }
  return values.length === 1 ? `must be ${shown}` : `must be one of ${shown}`;
}

function counted(limit: unknown, noun: string): string {
  return `${limit} ${limit === 1 ? noun : `${noun}s`}`;
}

function containsMessage(atLeast: unknown, atMost: unknown): string {
  const least = `must have ${counted(atLeast, 'item')} or more of the kind that is asked for`;
  return atMost === undefined ? least : `${least}, and no more than ${atMost}`;
}

const FORMAT_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['date', 'must be a date such as 2026-01-31'],
  ['time', 'must be a time with its offset, such as 13:45:00Z or 13:45:00+02:00'],
  ['date-time', 'must be a date and time with its offset, such as 2026-01-31T13:45:00Z'],
  ['duration', 'must be a duration such as P3DT12H'],
  ['email', 'must be an e-mail address'],
  ['hostname', 'must be the name of a host'],
  ['ipv4', 'must be an IPv4 address'],
  ['ipv6', 'must be an IPv6 address'],
  ['uri', 'must be a URI with its scheme, such as https://example.org/'],
  ['uri-reference', 'must be a URI or a relative reference'],
  ['uri-template', 'must be a URI template'],
  ['uuid', 'must be a UUID'],
  ['json-pointer', 'must be a JSON pointer'],
  ['relative-json-pointer', 'must be a relative JSON pointer'],
  ['regex', 'must be a regular expression'],
]);
