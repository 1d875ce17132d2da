// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { inspectionOf, MAX_FAULTS, validateAnswer } from '../../src/run/input-schema.js';
import { APPLICATOR_CASES } from './applicator-cases.js';
import { ASSERTION_CASES } from './assertion-cases.js';

function faultsOf(schema: JsonObject, answer: JsonValue) {
  const validity = validateAnswer({ type: 'object', properties: { v: {} }, ...schema }, answer);
  return validity.valid ? [] : validity.faults;
}

describe('the faults of an answer', () => {
  it.each<[string, JsonObject, JsonValue, { pointer: string; keyword: string; message: string }]>([
    ['a missing member', { required: ['a/b'] }, {}, { pointer: '/a~1b', keyword: 'required', message: 'is required' }],
    [
      'a missing member deep inside',
      { properties: { v: { items: { required: ['a'] } } } },
      { v: [{ a: 1 }, {}] },
      { pointer: '/v/1/a', keyword: 'required', message: 'is required' },
    ],
    [
      'a dependent member',
      { dependentRequired: { a: ['b~'] } },
      { a: 1 },
      { pointer: '/b~0', keyword: 'dependentRequired', message: 'is required once "a" is there' },
    ],
    [
      'an undeclared member',
      { additionalProperties: false },
      { x: 1 },
      { pointer: '/x', keyword: 'additionalProperties', message: 'is not allowed here' },
    ],
    [
      'an unevaluated member',
      { unevaluatedProperties: false },
      { x: 1 },
      { pointer: '/x', keyword: 'unevaluatedProperties', message: 'is not allowed here' },
    ],
    [
      'an unevaluated item',
      { properties: { v: { prefixItems: [true], unevaluatedItems: false } } },
      { v: [1, 2] },
      { pointer: '/v/1', keyword: 'unevaluatedItems', message: 'is not allowed here' },
    ],
    [
      'a forbidden member',
      { properties: { v: false } },
      { v: 1 },
      { pointer: '/v', keyword: 'false schema', message: 'is not allowed here' },
    ],
    [
      'a type',
      { properties: { v: { type: ['integer', 'null'] } } },
      { v: 'x' },
      { pointer: '/v', keyword: 'type', message: 'must be a whole number, or null' },
    ],
    [
      'a choice',
      { properties: { v: { enum: ['morning', 'afternoon'] } } },
      { v: 'x' },
      { pointer: '/v', keyword: 'enum', message: 'must be one of "morning", "afternoon"' },
    ],
    [
      'a choice among many',
      { properties: { v: { enum: Array.from({ length: 50 }, (_, index) => index) } } },
      { v: 'x' },
      { pointer: '/v', keyword: 'enum', message: 'must be one of the values that are allowed' },
    ],
    [
      'a constant',
      { properties: { v: { const: true } } },
      { v: false },
      { pointer: '/v', keyword: 'const', message: 'must be true' },
    ],
    [
      'a limit',
      { properties: { v: { maximum: 60 } } },
      { v: 61 },
      { pointer: '/v', keyword: 'maximum', message: 'must be 60 or less' },
    ],
    [
      'a length',
      { properties: { v: { minLength: 1 } } },
      { v: '' },
      { pointer: '/v', keyword: 'minLength', message: 'must have 1 character or more' },
    ],
    [
      'a pattern',
      { properties: { v: { pattern: '^a$' } } },
      { v: '' },
      { pointer: '/v', keyword: 'pattern', message: 'must match the pattern ^a$' },
    ],
    [
      'a format',
      { properties: { v: { format: 'date' } } },
      { v: '' },
      { pointer: '/v', keyword: 'format', message: 'must be a date such as 2026-01-31' },
    ],
    [
      'a branch too many',
      { properties: { v: { oneOf: [{}, {}] } } },
      { v: 1 },
      { pointer: '/v', keyword: 'oneOf', message: 'must fit only one of the alternatives' },
    ],
    [
      'a condition',
      { if: { required: ['v'] }, then: { required: ['w'] } },
      { v: 1 },
      { pointer: '/w', keyword: 'required', message: 'is required' },
    ],
    ['no object', {}, [], { pointer: '', keyword: 'type', message: 'must be an object' }],
  ])('INP-3 name %s by pointer, keyword and message', (_what, schema, answer, fault) => {
    expect(faultsOf(schema, answer)).toEqual([fault]);
  });

  it('INP-3 point at the member whose name is not allowed, and say that it is the name', () => {
    expect(faultsOf({ propertyNames: { maxLength: 2 } }, { abc: 1 })).toEqual([
      { pointer: '/abc', keyword: 'maxLength', message: 'has a name that must have 2 characters or fewer' },
      { pointer: '/abc', keyword: 'propertyNames', message: 'has a name that is not allowed' },
    ]);
  });

  it('INP-3 are all told, up to 200, and then that there are more', () => {
    const schema = { properties: { v: { items: { type: 'string' } } } };
    const list = (length: number) => ({ v: Array.from({ length }, () => 1) });
    expect(validateAnswer({ type: 'object', ...schema }, list(MAX_FAULTS))).not.toHaveProperty('truncated');
    expect(faultsOf(schema, list(MAX_FAULTS))).toHaveLength(MAX_FAULTS);
    const more = validateAnswer({ type: 'object', ...schema }, list(MAX_FAULTS + 1));
    expect(more).toMatchObject({ valid: false, truncated: true });
    expect(faultsOf(schema, list(MAX_FAULTS + 1))).toHaveLength(MAX_FAULTS);
  });

  it('INP-3 are told once, however many alternatives report them', () => {
    const schema: JsonObject = { properties: { v: { anyOf: [{ type: 'string' }, { type: 'string', minLength: 1 }] } } };
    expect(faultsOf(schema, { v: 1 }).map((fault) => fault.keyword)).toEqual(['type', 'anyOf']);
  });

  it('INP-11 never quote a value of the answer, whatever keyword finds the fault', () => {
    const secret = 'hunter2-5551234';
    const containers: JsonValue[] = [
      secret,
      [secret, secret],
      { a: secret },
      5551234,
      [5551234],
      { a: { b: 5551234 } },
    ];
    for (const cases of Object.values({ ...ASSERTION_CASES, ...APPLICATOR_CASES })) {
      for (const { schema, defs } of cases) {
        for (const value of containers) {
          const messages = faultsOf({ properties: { v: schema }, $defs: defs ?? {} }, { v: value }).map(
            (fault) => fault.message,
          );
          expect(messages.join()).not.toContain('5551234');
        }
      }
    }
  });

  it('INP-11 keep names out of messages too: they are in the pointer alone', () => {
    const schema = { additionalProperties: false, propertyNames: { maxLength: 3 } };
    for (const { pointer, message } of faultsOf(schema, { 'my-secret': 1 })) {
      expect(pointer).toBe('/my-secret');
      expect(message).not.toContain('my-secret');
    }
  });
});

describe('an answer that has been checked', () => {
  /** Node's own switch, so that the test needs no flags. */
  const collectGarbage = (): void => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
  };

  it('INP-11 is not kept by the validator, also where it was refused', async () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        v: { anyOf: [{ $ref: '#/$defs/text' }, { $ref: '#/$defs/list' }, true] },
        w: { $ref: '#/$defs/list' },
      },
      $defs: {
        text: { type: 'string' },
        list: { type: 'array', items: { type: 'object', unevaluatedProperties: false } },
      },
    };
    const submit = (name: string): WeakRef<object> => {
      const submitted = { secret: 'hunter2' };
      validateAnswer(schema, { [name]: [submitted] });
      return new WeakRef(submitted);
    };
    const submitted = [submit('w'), submit('v')];
    await new Promise(setImmediate);
    collectGarbage();
    expect(submitted.map((each) => each.deref())).toEqual([undefined, undefined]);
  });
});

describe('the values of an answer', () => {
  const scalar = (schema: JsonObject, v: JsonValue) =>
    validateAnswer({ type: 'object', properties: { v: schema }, required: ['v'] }, { v }).valid;

  it('INP-4 are false, 0, "", null, [] and {} where the schema allows them', () => {
    expect(scalar({ type: 'boolean' }, false)).toBe(true);
    expect(scalar({ type: 'integer' }, 0)).toBe(true);
    expect(scalar({ type: 'string' }, '')).toBe(true);
    expect(scalar({ type: ['string', 'null'] }, null)).toBe(true);
    expect(scalar({ type: 'array' }, [])).toBe(true);
    expect(scalar({ type: 'object' }, {})).toBe(true);
  });

  it('INP-4 are never coerced', () => {
    for (const [type, value] of [
      ['integer', '1'],
      ['number', '1.5'],
      ['boolean', 'true'],
      ['boolean', 1],
      ['boolean', 0],
      ['string', 1],
      ['null', ''],
      ['null', 0],
      ['array', 'a'],
      ['object', []],
    ] as const) {
      expect(scalar({ type }, value as JsonValue)).toBe(false);
    }
  });

  it('INP-4 stay exactly what they were', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'object', default: {}, additionalProperties: false },
        b: { type: 'integer', default: 1 },
      },
    };
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), fc.jsonValue()),
        (answer) => {
          const before = JSON.stringify(answer);
          validateAnswer(schema, answer as JsonValue);
          expect(JSON.stringify(answer)).toBe(before);
        },
      ),
    );
  });

  it('INP-3 a hundred invalid answers change nothing for the next one', () => {
    const schema = { type: 'object', properties: { v: { type: 'integer' } } };
    for (let attempt = 0; attempt < 100; attempt++)
      expect(validateAnswer(schema, { v: `no ${attempt}` }).valid).toBe(false);
    expect(validateAnswer(schema, { v: 1 })).toEqual({ valid: true });
  });
});

describe('the inspection that a form is built on', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      kind: { enum: ['card', 'cash'] },
      v: { oneOf: [{ title: 'A', type: 'string' }, { $ref: '#/$defs/many' }] },
    },
    $defs: { many: { type: 'array', items: { type: 'integer' } } },
    if: { properties: { kind: { const: 'card' } }, required: ['kind'] },
    then: { properties: { number: {} }, required: ['number'] },
  };

  it('names the place in the schema of every fault, also behind a reference', () => {
    const faults = inspectionOf(schema).faults({ kind: 'card', v: ['x'] });
    expect(faults).toEqual([
      { keyword: 'required', instancePointer: '', schemaPointer: '/then', params: { missingProperty: 'number' } },
      { keyword: 'if', instancePointer: '', schemaPointer: '', params: { failingKeyword: 'then' } },
      { keyword: 'type', instancePointer: '/v', schemaPointer: '/properties/v/oneOf/0', params: { type: 'string' } },
      { keyword: 'type', instancePointer: '/v/0', schemaPointer: '/$defs/many/items', params: { type: 'integer' } },
      { keyword: 'oneOf', instancePointer: '/v', schemaPointer: '/properties/v', params: { passingSchemas: null } },
    ]);
  });

  it('says whether a value fits a part of the schema: a condition, a branch, a definition', () => {
    const { fitsAt } = inspectionOf(schema);
    expect(fitsAt('/if', { kind: 'card' })).toBe(true);
    expect(fitsAt('/if', { kind: 'cash' })).toBe(false);
    expect(fitsAt('/properties/v/oneOf/1', [1])).toBe(true);
    expect(fitsAt('/properties/v/oneOf/1', ['x'])).toBe(false);
    expect(fitsAt('/$defs/many/items', 1)).toBe(true);
    expect(fitsAt('/nowhere', 1)).toBe(false);
  });

  it('agrees with the validator on every answer', () => {
    fc.assert(
      fc.property(
        fc.record(
          { kind: fc.constantFrom('card', 'cash', 'x'), v: fc.jsonValue(), number: fc.integer() },
          { requiredKeys: [] },
        ),
        (answer) => {
          const { faults, fitsAt } = inspectionOf(schema);
          const { valid } = validateAnswer(schema, answer as JsonValue);
          expect(faults(answer as JsonValue).length === 0).toBe(valid);
          expect(fitsAt('', answer as JsonValue)).toBe(valid);
        },
      ),
    );
  });
});
