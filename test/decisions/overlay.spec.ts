// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema.

import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { checkAnswer, declaredKeys, overlay } from '../../src/run/overlay.js';

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const NAMES = ['a', 'b', 'c', 'd', 'e', ...INHERITED];

/** A schema together with the names that it declares, counted while it was put together. */
interface Declaring {
  readonly schema: JsonObject;
  readonly names: readonly string[];
}

const declarations = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }).map((names): Declaring => {
  return { schema: { properties: Object.fromEntries(names.map((name) => [name, true])) }, names };
});

const { declaring } = fc.letrec<{ declaring: Declaring; branches: Declaring }>((tie) => ({
  declaring: fc.oneof({ depthSize: 'small', withCrossShrink: true }, declarations, tie('branches')),
  branches: fc
    .record({
      own: declarations,
      keyword: fc.constantFrom('allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'not', '$ref'),
      inner: tie('declaring') as fc.Arbitrary<Declaring>,
      other: tie('declaring') as fc.Arbitrary<Declaring>,
    })
    .map(({ own, keyword, inner, other }): Declaring => {
      const names = keyword === 'not' ? own.names : [...own.names, ...inner.names];
      switch (keyword) {
        case 'allOf':
        case 'anyOf':
        case 'oneOf':
          return {
            schema: { ...own.schema, [keyword]: [inner.schema, other.schema] },
            names: [...names, ...other.names],
          };
        case 'dependentSchemas':
          return {
            schema: { ...own.schema, dependentSchemas: { a: inner.schema, constructor: other.schema } },
            names: [...names, ...other.names],
          };
        case '$ref':
          return { schema: { ...own.schema, allOf: [{ $ref: 'later' }], later: inner.schema }, names };
        default:
          return { schema: { ...own.schema, [keyword]: inner.schema }, names };
      }
    }),
}));

/** An input schema: what was put aside for a reference becomes a definition, and the last of them refers back to the root from below. */
const inputSchema = declaring
  .filter(({ names }) => names.length > 0)
  .map(({ schema, names }) => {
    const $defs: Record<string, JsonValue> = { tree: { type: 'object', properties: { x: { $ref: '#' } } } };
    const root = moveToDefinitions(schema, $defs) as JsonObject;
    return { schema: { ...root, type: 'object', $defs } as JsonObject, names: new Set(names) };
  });

function moveToDefinitions(schema: JsonValue, $defs: Record<string, JsonValue>): JsonValue {
  if (Array.isArray(schema)) return schema.map((each) => moveToDefinitions(each, $defs));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { later, ...rest } = schema as JsonObject;
  const copied = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, moveToDefinitions(value, $defs)]),
  );
  if (later === undefined) return copied;
  const name = `d${Object.keys($defs).length}`;
  $defs[name] = true;
  $defs[name] = moveToDefinitions(later, $defs);
  return { ...copied, allOf: [{ $ref: `#/$defs/${name}` }] };
}

const members = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES, 'f', 'x', '__proto__'), fc.jsonValue({ maxDepth: 1 })), {
    selector: ([name]) => name,
  })
  .map((entries) => Object.fromEntries(entries) as JsonObject);

describe('laying an answer over the arguments of a call', () => {
  it('INP-6 executes the person’s values alone for declared keys, and the model’s alone for all others', () => {
    fc.assert(
      fc.property(inputSchema, members, members, ({ schema, names }, modelArguments, answer) => {
        expect(declaredKeys(schema)).toEqual(names);
        const laid = overlay(modelArguments, schema, answer);
        const everyKey = new Set([...Object.keys(modelArguments), ...Object.keys(answer), ...names]);
        for (const key of everyKey) {
          const source = names.has(key) ? answer : modelArguments;
          expect(Object.hasOwn(laid.arguments, key)).toBe(Object.hasOwn(source, key));
          if (Object.hasOwn(source, key)) expect(valueAt(laid.arguments, key)).toBe(valueAt(source, key));
        }
        expect(Object.keys(laid.arguments).every((key) => everyKey.has(key))).toBe(true);
        expect(laid.ignoredKeys).toEqual(Object.keys(answer).filter((key) => !names.has(key)));
        expect(Object.getPrototypeOf(laid.arguments)).toBe(Object.prototype);
      }),
      { numRuns: 500 },
    );
  });

  it('INP-6 changes neither the arguments nor the answer', () => {
    const modelArguments = Object.freeze({ a: 1, b: 2 });
    const answer = Object.freeze({ a: 3, z: 4 });
    expect(overlay(modelArguments, { type: 'object', properties: { a: {} } }, answer)).toEqual({
      arguments: { a: 3, b: 2 },
      ignoredKeys: ['z'],
    });
  });

  it('INP-6 removes the model’s value where the person left an optional one out', () => {
    const schema = { type: 'object', properties: { account: {}, note: {} } };
    expect(overlay({ account: 'model', note: 'model', own: 1 }, schema, { account: 'person' }).arguments).toEqual({
      account: 'person',
      own: 1,
    });
  });

  it('INP-6 passes null on as null, and leaves absent what is absent', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] }, b: {} } };
    expect(overlay({}, schema, { a: null }).arguments).toEqual({ a: null });
  });

  it.each(INHERITED)('INP-6 takes "%s" for a plain key', (name) => {
    const schema = { type: 'object', properties: { [name]: { type: 'string' } } };
    expect(Object.entries(overlay({ [name]: 'model', own: 1 }, schema, {}).arguments)).toEqual([['own', 1]]);
    expect(Object.entries(overlay({}, schema, { [name]: 'person' }).arguments)).toEqual([[name, 'person']]);
    expect(overlay({}, { type: 'object', properties: { a: {} } }, { [name]: 'person' })).toEqual({
      arguments: {},
      ignoredKeys: [name],
    });
  });

  it('INP-6 lets nobody reach the prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true}}') as JsonObject;
    const laid = overlay(hostile, { type: 'object', properties: { a: {} } }, hostile);
    expect((laid.arguments as { admin?: unknown }).admin).toBeUndefined();
    expect(Object.keys(laid.arguments)).toEqual(['__proto__']);
    expect(laid.ignoredKeys).toEqual(['__proto__']);
  });

  it('INP-6 declares the names behind a reference at the root, and those of a schema that refers to itself, once', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { value: {}, next: { $ref: '#/$defs/node' } },
          allOf: [{ properties: { more: {} } }],
        },
      },
    };
    expect([...declaredKeys(schema)].sort()).toEqual(['more', 'next', 'value']);
  });

  it('INP-6 does not declare what properties, items or patterns say of parts of the answer', () => {
    const schema = {
      type: 'object',
      properties: { a: { properties: { deep: {} } } },
      patternProperties: { '^p': { properties: { deeper: {} } } },
      additionalProperties: { properties: { other: {} } },
      propertyNames: { properties: { name: {} } },
    };
    expect([...declaredKeys(schema)]).toEqual(['a']);
  });
});

function valueAt(object: JsonObject, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

describe('an answer that can be accepted', () => {
  it('INP-6 is valid as it was posted and after undeclared keys are dropped', () => {
    const schema = { type: 'object', properties: { a: {} }, minProperties: 2 };
    expect(checkAnswer(schema, { a: 1 })).toMatchObject({ valid: false });
    expect(checkAnswer(schema, { a: 1, undeclared: 2 })).toMatchObject({
      valid: false,
      faults: [{ keyword: 'minProperties' }],
    });
  });

  it('INP-6 is refused for an undeclared key only where the schema says so', () => {
    const open = { type: 'object', properties: { a: {} } };
    expect(checkAnswer(open, { a: 1, undeclared: 2 })).toEqual({ valid: true });
    expect(checkAnswer({ ...open, additionalProperties: false }, { a: 1, undeclared: 2 })).toMatchObject({
      valid: false,
    });
  });

  it('INP-6 cannot lean on an undeclared key that a condition asks for', () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a', 'proof'] };
    expect(checkAnswer(schema, { a: 1, proof: 2 })).toMatchObject({
      valid: false,
      faults: [{ pointer: '/proof', keyword: 'required' }],
    });
  });

  it.each([null, 'text', 5, true, []])('INP-6 is an object, so not %j', (answer) => {
    expect(checkAnswer({ type: 'object', properties: { a: {} } }, answer)).toMatchObject({
      valid: false,
      faults: [{ pointer: '', keyword: 'type' }],
    });
  });

  it('INP-6 leaves valid arguments behind: what was accepted is valid among the declared keys', () => {
    fc.assert(
      fc.property(inputSchema, members, ({ schema }, answer) => {
        if (!checkAnswer(schema, answer).valid) return;
        expect(checkAnswer(schema, overlay({}, schema, answer).arguments)).toEqual({ valid: true });
      }),
    );
  });
});
