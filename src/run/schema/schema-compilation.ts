import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject, JsonValue } from '../../events/json.js';
import { EffortSpent, withEffort } from './check-effort.js';
import { EvaluatedMembers } from './evaluated-members.js';
import { compileLinearPattern } from './linear-pattern.js';
import { SchemaCopy } from './schema-copy.js';
import type { SchemaReading } from './schema-reading.js';
import { type Evaluation, useOwnKeywords } from './schema-vocabulary.js';
import { CHECKED_FORMATS } from './value-formats.js';

/** One way in which a value does not fit a schema, in the words of ajv. Its parameters can hold names out of the value. */
export interface RawFault {
  /** Where in the value. */
  readonly instancePointer: string;
  /** The schema that was not met; absent where it is `false`. */
  readonly schemaPointer?: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set where the fault is about the name of a member, rather than about what is at the pointer. */
  readonly propertyName?: string;
}

/** A check that was given up: the value asks for more work than one check may cost. Such a value is not valid. */
export type TooCostly = 'too_costly';

export interface CompiledSchema {
  /** Every fault of the value; none when it is valid. */
  check(value: JsonValue): readonly RawFault[] | TooCostly;
  /** Whether a value is valid against the schema at this pointer, taken by itself; such as a branch, or the `if` of a condition. */
  fitsAt(schemaPointer: string, value: JsonValue): boolean;
}

/** 1 million keywords on small values, 0.1 to 0.5 s; ordinary checks take some thousand. */
const EFFORT_OF_ONE_CHECK = 1_000_000;

/**
 * Compiles a schema that has been read.
 *
 * @throws {Error} where ajv cannot compile it
 */
export function compileSchema(reading: SchemaReading): CompiledSchema {
  const copy = new SchemaCopy(reading);
  const checks = new Map<string, ValidateFunction>();
  const checkAt = (pointer: string): ValidateFunction => {
    const check = checks.get(pointer) ?? compileDocument(copy.documentFor(pointer), evaluation);
    checks.set(pointer, check);
    return check;
  };
  const members = new EvaluatedMembers(reading, (pointer, value) => checkAt(pointer)(value));
  const evaluation: Evaluation = (schema, value) => members.beforeUnevaluated(copy.pointerOf(schema) ?? '', value);
  const judge = (pointer: string, value: JsonValue): readonly RawFault[] | TooCostly => {
    const check = checkAt(pointer);
    try {
      if (withEffort(EFFORT_OF_ONE_CHECK, () => check(value))) return [];
      return (check.errors ?? []).map((error) => rawFault(error, copy));
    } catch (error) {
      // A RangeError is the stack or an array at its end: recursion that no answer of a person needs.
      if (error instanceof EffortSpent || error instanceof RangeError) return 'too_costly';
      throw error;
    } finally {
      for (const used of checks.values()) forgetValues(used);
    }
  };
  checkAt('');
  return {
    check: (value) => judge('', value),
    fitsAt: (pointer, value) => {
      const faults = judge(pointer, value);
      return faults !== 'too_costly' && faults.length === 0;
    },
  };
}

/** ajv leaves its last errors at each function that it has compiled, and they hold parts of what somebody submitted (INP-11). */
function forgetValues(check: ValidateFunction): void {
  check.errors = null;
  for (const referred of Object.values(check.schemaEnv.root.refs)) {
    if (typeof referred === 'object' && 'validate' in referred && referred.validate) referred.validate.errors = null;
  }
}

/**
 * All schemas go through this one configuration of ajv, each in an instance of its own, which is cheap without the meta-schemas and is
 * forgotten with its schema: an instance keeps what it has compiled for as long as it lives, and resolves references from one schema
 * into another.
 *
 * ajv's strict mode is off because it also refuses schemas that mean something (`minContains: 0`, an `if` alone). What it protects against is
 * unknown words, and the reading lets none through.
 */
function compileDocument(document: JsonObject, evaluation: Evaluation): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    messages: false,
    ownProperties: true,
    strictSchema: false,
    strictTypes: false,
    strictTuples: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    logger: false,
    code: { regExp: LINEAR_ENGINE },
    formats: Object.fromEntries(CHECKED_FORMATS),
  });
  useOwnKeywords(ajv, evaluation);
  return ajv.compile(document);
}

/** ajv wants the engine to have a name for code that is written to a file, which never happens here. */
const LINEAR_ENGINE = Object.assign(
  compileLinearPattern as (pattern: string) => ReturnType<typeof compileLinearPattern> & RegExp,
  {
    code: 'compileLinearPattern',
  },
);

function rawFault(error: ErrorObject, copy: SchemaCopy): RawFault {
  const schemaPointer = copy.pointerOf(error.parentSchema);
  return {
    instancePointer: error.instancePath,
    ...(schemaPointer === undefined ? {} : { schemaPointer }),
    keyword: error.keyword,
    params: error.params,
    ...(error.propertyName === undefined ? {} : { propertyName: error.propertyName }),
  };
}
