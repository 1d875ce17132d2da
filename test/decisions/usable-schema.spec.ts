import type { JsonObject, JsonValue } from '../../src/events/json.js';
import {
  declaredKeys,
  isUsableInputSchema,
  isUsableParameters,
  SCHEMA_BOUNDS,
  validateAnswer,
  validateArguments,
} from '../../src/run/input-schema.js';
import { asking, refusal } from './asking-schema.js';

describe('the schema of an input', () => {
  it.each([
    ['nothing', null],
    ['true', true],
    ['a list', []],
    ['a text', 'object'],
    ['an empty schema', {}],
    ['no type', { properties: { a: {} } }],
    ['another type', { type: 'array', properties: { a: {} } }],
    ['an object or null', { type: ['object', 'null'], properties: { a: {} } }],
    ['an object in one branch only', { anyOf: [{ type: 'object' }, { type: 'string' }], properties: { a: {} } }],
    ['no properties', { type: 'object' }],
    ['empty properties', { type: 'object', properties: {} }],
    ['properties below the root only', { type: 'object', additionalProperties: { properties: { a: {} } } }],
    ['properties of what is ruled out only', { type: 'object', not: { properties: { a: {} } } }],
    ['properties in an unused definition only', { type: 'object', $defs: { d: { properties: { a: {} } } } }],
  ])('INP-5 is refused when it is degenerate: %s', (_what, schema) => {
    expect(isUsableInputSchema(schema as JsonValue).usable).toBe(false);
  });

  it.each([
    ['at the root', { type: 'object', properties: { a: {} } }],
    ['in a list of one type', { type: ['object'], properties: { a: {} } }],
    ['behind a reference at the root', { $ref: '#/$defs/d', $defs: { d: { type: 'object', properties: { a: {} } } } }],
    ['behind an anchor', { $ref: '#d', $defs: { x: { $anchor: 'd', type: 'object', properties: { a: {} } } } }],
    ['in every branch', { oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'object' }] }],
    ['in allOf', { allOf: [{ type: 'object' }, { properties: { a: {} } }] }],
    ['in a schema that goes on in itself', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'with its dialect and a name',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'urn:x', ...asking({}) },
    ],
  ])('INP-5 is usable when it describes an object with a property: %s', (_where, schema) => {
    expect(isUsableInputSchema(schema as JsonValue)).toEqual({ usable: true });
  });

  it('INP-6 takes the other names that every object inherits', () => {
    const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__defineGetter__', 'then'];
    const schema = {
      type: 'object',
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
    };
    expect(isUsableInputSchema(schema)).toEqual({ usable: true });
    expect([...declaredKeys(schema)]).toEqual(names);
    expect(validateAnswer(schema, Object.fromEntries(names.map((name) => [name, 1])))).toEqual({ valid: true });
    expect(validateAnswer(schema, {})).toMatchObject({
      valid: false,
      faults: names.map((name) => ({ pointer: `/${name}`, keyword: 'required' })),
    });
  });

  it.each([
    ['itself', { $ref: '#', type: 'object', properties: { a: {} } }],
    ['itself in a branch', { type: 'object', properties: { a: {} }, anyOf: [{ $ref: '#' }, true] }],
    [
      'itself by way of another',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/x' } },
        $defs: { x: { not: { $ref: '#/$defs/y' } }, y: { allOf: [{ $ref: '#/$defs/x' }] } },
      },
    ],
    ['itself once a name is there', { type: 'object', properties: { a: {} }, dependentSchemas: { a: { $ref: '#' } } }],
  ])('INP-5 refuses a schema that refers to %s for the same value, for no check of it would end', (_what, schema) => {
    expect(refusal(schema as JsonValue).message).toMatch(/never end/);
  });

  it('INP-5 takes a schema that many branches share, without walking through all of their combinations', () => {
    const $defs: Record<string, JsonValue> = { d60: { type: 'object', properties: { a: {} } } };
    for (let level = 0; level < 60; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { allOf: [next, next] };
    }
    const schema = { $ref: '#/$defs/d0', $defs };
    expect(isUsableInputSchema(schema)).toEqual({ usable: true });
    expect([...declaredKeys(schema)]).toEqual(['a']);
  });

  it('INP-5 bounds the size, the depth and the parts of a schema', () => {
    let deep: JsonValue = {};
    for (let level = 0; level < 100_000; level++) deep = { not: deep };
    expect(refusal(asking(deep)).keyword).toBe('maxDepth');
    expect(refusal(asking({ enum: Array.from({ length: SCHEMA_BOUNDS.maxNodes }, (_, index) => index) })).keyword).toBe(
      'maxNodes',
    );
    expect(refusal(asking({ description: 'é'.repeat(SCHEMA_BOUNDS.maxBytes / 2) })).keyword).toBe('maxBytes');
    const $defs = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, index): [string, JsonObject] => [
        `d${index}`,
        index === 1_499 ? {} : { $ref: `#/$defs/d${index + 1}` },
      ]),
    );
    expect(refusal(asking({ $ref: '#/$defs/d0' }, { $defs }))).toMatchObject({
      keyword: '$ref',
      message: expect.stringMatching(/chains/),
    });
  });

  it('INP-5 judges what a schema says now, not what the same object said before', () => {
    const schema: { type: string; properties: Record<string, JsonObject> } = {
      type: 'object',
      properties: { v: { type: 'string' } },
    };
    expect(isUsableInputSchema(schema).usable).toBe(true);
    schema.properties.v = { nullable: true };
    expect(isUsableInputSchema(schema).usable).toBe(false);
    schema.properties.v = { type: 'integer' };
    expect(validateAnswer(schema, { v: 1 })).toEqual({ valid: true });
  });

  it('INP-5 an unusable schema accepts nothing: to validate by it is an error', () => {
    for (const schema of [{}, { type: 'object' }, asking({ nullable: true })]) {
      expect(() => validateAnswer(schema, {})).toThrow(/not usable/);
      expect(() => declaredKeys(schema)).toThrow(/not usable/);
    }
    expect(() => validateArguments({ properties: {} }, {})).toThrow(/not usable/);
  });
});

describe('the schema of a tool’s parameters', () => {
  it('may declare no property, and must be of an object all the same', () => {
    expect(isUsableParameters({ type: 'object' })).toEqual({ usable: true });
    expect(isUsableParameters({ type: 'object', properties: {} })).toEqual({ usable: true });
    expect(isUsableParameters({})).toMatchObject({ usable: false, fault: { keyword: 'type' } });
    expect(validateArguments({ type: 'object' }, {})).toEqual({ valid: true });
  });

  it('is held to the same keywords as an input schema', () => {
    expect(isUsableParameters(asking({ nullable: true }))).toMatchObject({
      usable: false,
      fault: { keyword: 'nullable', pointer: '/properties/v/nullable' },
    });
  });

  it('LIF-4 tells arguments that do not fit', () => {
    expect(validateArguments(asking({ type: 'integer' }, { required: ['v'] }), { v: '1' })).toEqual({
      valid: false,
      faults: [{ pointer: '/v', keyword: 'type', message: 'must be a whole number' }],
    });
  });
});
