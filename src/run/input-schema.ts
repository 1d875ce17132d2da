import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../events/json.js';
import { exceededBound } from './json-bounds.js';
import { type AnswerFault, answerFault } from './schema/answer-faults.js';
import { type CompiledSchema, compileSchema, type RawFault, type TooCostly } from './schema/schema-compilation.js';
import { admitsOnlyObjects, declaredNames, findEndlessLoop } from './schema/schema-reach.js';
import {
  readSchema,
  type SchemaFault,
  type SchemaReading,
  SchemaRefused,
  type Subschema,
} from './schema/schema-reading.js';

export { answerFault } from './schema/answer-faults.js';
export type { RawFault } from './schema/schema-compilation.js';

/**
 * Input schemas (INP-4, INP-5) and parameter schemas of tools: JSON Schema 2020-12 with formats, as far as the keyword list goes. One
 * authority says whether a schema can be used, and whatever can be used has been compiled.
 */

/** The size of a schema, as JSON in UTF-8, and its shape. */
export const SCHEMA_BOUNDS = { maxBytes: 64 * 1024, maxDepth: 64, maxNodes: 5_000 } as const;

/** The shape of an answer. The depth leaves room for what forms show (12) five times over. */
export const ANSWER_BOUNDS = { maxDepth: 64, maxNodes: 5_000 } as const;

/** How many faults of one answer are told (INP-3). */
export const MAX_FAULTS = 200;

export type SchemaUsability = { readonly usable: true } | { readonly usable: false; readonly fault: SchemaFault };

export type AnswerValidity =
  | { readonly valid: true }
  | { readonly valid: false; readonly faults: readonly AnswerFault[]; readonly truncated?: true };

/**
 * INP-5, the single authority: whether people can be asked for input by this schema. It describes an object, declares at least one
 * property, compiles, refers to nothing outside itself, and says nothing that is not understood here.
 */
export function isUsableInputSchema(schema: JsonValue): SchemaUsability {
  const examination = examine(schema);
  const fault = faultOfInputSchema(examination);
  return fault === undefined ? { usable: true } : { usable: false, fault };
}

/** As for input, but an object without any property will do: a tool may take no arguments. */
export function isUsableParameters(schema: JsonValue): SchemaUsability {
  const examination = examine(schema);
  return 'fault' in examination ? { usable: false, fault: examination.fault } : { usable: true };
}

/**
 * Checks what a person submits against an input schema, in bounded time whatever it is. Faults come in no particular order.
 *
 * @throws {Error} for a schema that is not usable: such a one accepts nothing, and asking is the caller's bug
 */
export function validateAnswer(schema: JsonValue, answer: JsonValue): AnswerValidity {
  return validate(usableInputSchema(schema), answer);
}

/**
 * Checks a call's arguments against its tool's parameters (LIF-4), within the bounds that answers have.
 *
 * @throws {Error} for a schema that is not usable
 */
export function validateArguments(schema: JsonValue, callArguments: JsonValue): AnswerValidity {
  return validate(usable(examine(schema)), callArguments);
}

/**
 * The names that an input schema declares (INP-6): only these are taken from a person, and none of them from the model.
 *
 * @throws {Error} for a schema that is not usable
 */
export function declaredKeys(schema: JsonValue): ReadonlySet<string> {
  return usableInputSchema(schema).declaredNames;
}

/**
 * What the inbox's form needs to agree with the validator in every case: the very same compiled schema, asked for more detail.
 *
 * @throws {Error} for a schema that is not usable
 */
export function inspectionOf(schema: JsonValue): SchemaInspection {
  const { compiled, reading } = usableInputSchema(schema);
  return {
    faults: (answer) => (exceededBound(answer, ANSWER_BOUNDS) === undefined ? compiled.check(answer) : 'too_costly'),
    fitsAt: (pointer, value) => exceededBound(value, ANSWER_BOUNDS) === undefined && compiled.fitsAt(pointer, value),
    schemaAt: (pointer) => reading.subschemas.get(pointer) ?? true,
    targetOf: (reference) => reading.targetOf(reference),
  };
}

export interface SchemaInspection {
  /** Every fault with its keyword's parameters and the place in the schema, those of branches that were not taken included. */
  faults(answer: JsonValue): readonly RawFault[] | TooCostly;
  /** Whether a value fits the schema at a JSON pointer: the `if` of a condition, a branch of `oneOf`, a property. */
  fitsAt(schemaPointer: string, value: JsonValue): boolean;
  /** The schema at a JSON pointer; `true`, which asks for nothing, where there is none. */
  schemaAt(schemaPointer: string): Subschema;
  /** Where a `$ref` of this schema leads, as a JSON pointer. */
  targetOf(reference: string): string;
}

function validate({ compiled }: UsableSchema, value: JsonValue): AnswerValidity {
  const bound = exceededBound(value, ANSWER_BOUNDS);
  if (bound !== undefined) return { valid: false, faults: [BOUND_FAULTS[bound]] };
  const faults = compiled.check(value);
  if (faults === 'too_costly') return { valid: false, faults: [BOUND_FAULTS.too_costly] };
  return faults.length === 0 ? { valid: true } : { valid: false, ...toldFaults(faults) };
}

const BOUND_FAULTS = {
  too_deep: { pointer: '', keyword: 'maxDepth', message: `must not nest deeper than ${ANSWER_BOUNDS.maxDepth} levels` },
  too_many_nodes: {
    pointer: '',
    keyword: 'maxNodes',
    message: `must not hold more than ${ANSWER_BOUNDS.maxNodes} values`,
  },
  too_costly: { pointer: '', keyword: 'maxEffort', message: 'takes too long to check against its schema' },
} as const;

/** Alternatives with a part in common report it several times; once is enough. */
function toldFaults(raw: readonly RawFault[]): { faults: readonly AnswerFault[]; truncated?: true } {
  const faults = new Map<string, AnswerFault>();
  for (const each of raw) {
    const fault = answerFault(each);
    if (fault === undefined) continue;
    const identity = JSON.stringify([fault.pointer, fault.keyword, fault.message]);
    if (faults.size === MAX_FAULTS && !faults.has(identity)) return { faults: [...faults.values()], truncated: true };
    faults.set(identity, fault);
  }
  return { faults: [...faults.values()] };
}

interface UsableSchema {
  readonly reading: SchemaReading;
  readonly compiled: CompiledSchema;
  readonly declaredNames: ReadonlySet<string>;
}

type Examination = UsableSchema | { readonly fault: SchemaFault };

function faultOfInputSchema(examination: Examination): SchemaFault | undefined {
  if ('fault' in examination) return examination.fault;
  if (examination.declaredNames.size > 0) return undefined;
  return { keyword: 'properties', pointer: '', message: 'must declare at least one property, or any answer would do' };
}

function usable(examination: Examination): UsableSchema {
  if ('fault' in examination) throw unusable(examination.fault);
  return examination;
}

function usableInputSchema(schema: JsonValue): UsableSchema {
  const examination = examine(schema);
  const fault = faultOfInputSchema(examination);
  if (fault !== undefined) throw unusable(fault);
  return usable(examination);
}

function unusable({ keyword, pointer, message }: SchemaFault): Error {
  return new Error(`the schema is not usable: "${keyword}" at "${pointer}" ${message}`);
}

/** Examines a snapshot, so that a schema that is changed afterwards is another schema. */
function examine(schema: JsonValue): Examination {
  const bound = exceededBound(schema, SCHEMA_BOUNDS);
  if (bound === 'too_deep')
    return refusedBound('maxDepth', `must not nest deeper than ${SCHEMA_BOUNDS.maxDepth} levels`);
  if (bound === 'too_many_nodes')
    return refusedBound('maxNodes', `must not hold more than ${SCHEMA_BOUNDS.maxNodes} values`);
  const text = JSON.stringify(schema) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes > SCHEMA_BOUNDS.maxBytes)
    return refusedBound('maxBytes', `must not be larger than ${SCHEMA_BOUNDS.maxBytes} bytes`);
  const digest = createHash('sha256').update(text).digest('base64');
  return remembered(digest, bytes, () => examineText(text));
}

function refusedBound(keyword: string, message: string): Examination {
  return { fault: { keyword, pointer: '', message } };
}

function examineText(text: string): Examination {
  try {
    const reading = readSchema(JSON.parse(text) as JsonObject);
    const loop = findEndlessLoop(reading);
    if (loop !== undefined) return { fault: loop };
    if (!admitsOnlyObjects(reading)) {
      return { fault: { keyword: 'type', pointer: '', message: 'must be "object" at the root of the schema' } };
    }
    return { reading, compiled: compileSchema(reading), declaredNames: declaredNames(reading) };
  } catch (error) {
    if (error instanceof SchemaRefused) return { fault: error.fault };
    if (error instanceof RangeError) {
      return { fault: { keyword: '$ref', pointer: '', message: 'chains references further than can be followed' } };
    }
    // What ajv says of a schema is about the schema alone.
    if (error instanceof Error) {
      return { fault: { keyword: '$schema', pointer: '', message: `does not compile: ${error.message}` } };
    }
    throw error;
  }
}

/** Examinations by schema digest, the least recently used dropped first; a compiled schema takes some ten times the size of its text. */
const examinations = new Map<string, { readonly examination: Examination; readonly bytes: number }>();
const REMEMBERED_BYTES = 4 * 1024 * 1024;
const BYTES_OF_ANY_ENTRY = 1024;
let rememberedBytes = 0;

function remembered(digest: string, schemaBytes: number, work: () => Examination): Examination {
  const known = examinations.get(digest);
  if (known !== undefined) {
    examinations.delete(digest);
    examinations.set(digest, known);
    return known.examination;
  }
  const entry = { examination: work(), bytes: schemaBytes + BYTES_OF_ANY_ENTRY };
  examinations.set(digest, entry);
  rememberedBytes += entry.bytes;
  for (const [oldest, { bytes }] of examinations) {
    if (rememberedBytes <= REMEMBERED_BYTES) break;
    examinations.delete(oldest);
    rememberedBytes -= bytes;
  }
  return entry.examination;
}
