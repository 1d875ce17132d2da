// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema.

import type { KeywordCase } from './keyword-case.js';

/** The core, applicator and unevaluated vocabularies of JSON Schema 2020-12 (Core, sections 8, 10 and 11). */
export const APPLICATOR_CASES: Readonly<Record<string, readonly KeywordCase[]>> = {
  properties: [
    {
      schema: { properties: { a: { type: 'string' }, b: false } },
      valid: [{}, { a: '' }, { c: 1 }, []],
      invalid: [{ a: 1 }, { b: 1 }],
    },
    {
      schema: {
        properties: { constructor: { type: 'number' }, toString: { type: 'number' }, valueOf: { type: 'null' } },
      },
      valid: [{}, { constructor: 1, toString: 2, valueOf: null }],
      invalid: [{ constructor: 'x' }, { valueOf: 1 }],
    },
    {
      schema: { properties: { 'a/b~c."\'\\é': { type: 'null' } } },
      valid: [{ 'a/b~c."\'\\é': null }],
      invalid: [{ 'a/b~c."\'\\é': 1 }],
    },
    {
      schema: { properties: { $ref: { type: 'string' }, $id: { type: 'string' }, nullable: { type: 'string' } } },
      valid: [{ $ref: 'x', $id: 'y' }],
      invalid: [{ $ref: 1 }, { $id: 1 }, { nullable: 1 }],
    },
  ],
  patternProperties: [
    {
      schema: { patternProperties: { '^x': { type: 'number' }, y$: { minimum: 2 } } },
      valid: [{ x: 1, z: 'a' }, { xy: 2 }],
      invalid: [{ x: 'a' }, { xy: 1 }],
    },
  ],
  additionalProperties: [
    {
      schema: { properties: { a: true }, patternProperties: { '^x': true }, additionalProperties: false },
      valid: [{ a: 1, x1: 2 }],
      invalid: [{ b: 1 }, { constructor: 1 }, JSON.parse('{"__proto__":1}')],
    },
    { schema: { additionalProperties: { type: 'number' } }, valid: [{}, { a: 1 }], invalid: [{ a: 'x' }] },
  ],
  propertyNames: [
    {
      schema: { propertyNames: { maxLength: 2, pattern: '^[a-z]' } },
      valid: [{ ab: 1 }, []],
      invalid: [{ abc: 1 }, { A: 1 }],
    },
  ],
  unevaluatedProperties: [
    {
      schema: { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
      valid: [{ a: 1, b: 2 }, 'x'],
      invalid: [{ c: 1 }, { a: 1, constructor: 1 }, { toString: 1 }],
    },
    {
      schema: {
        anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { properties: { b: true } }],
        unevaluatedProperties: false,
      },
      valid: [{ a: 1 }, { b: 1 }],
      invalid: [{ a: 2 }],
    },
    {
      schema: {
        oneOf: [
          { properties: { a: true }, required: ['a'] },
          { properties: { b: true }, required: ['b'] },
        ],
        unevaluatedProperties: { type: 'number' },
      },
      valid: [{ a: 'x' }, { a: 'x', c: 1 }],
      invalid: [{ a: 'x', c: 'y' }],
    },
    {
      schema: {
        if: { properties: { a: { const: 1 } }, required: ['a'] },
        then: { properties: { b: true } },
        else: { properties: { c: true } },
        unevaluatedProperties: false,
      },
      valid: [{ a: 1, b: 1 }, { c: 1 }],
      invalid: [
        { a: 2, c: 1 },
        { a: 1, c: 1 },
      ],
    },
    {
      schema: { if: { properties: { a: { const: 1 } } }, unevaluatedProperties: false },
      valid: [{ a: 1 }],
      invalid: [{ a: 2 }, { b: 1 }],
    },
    {
      schema: {
        if: { properties: { a: { const: 1 } }, required: ['a'] },
        else: { properties: { c: true } },
        unevaluatedProperties: false,
      },
      valid: [{ a: 1 }, { c: 1 }],
      invalid: [{ a: 2, c: 1 }],
    },
    {
      schema: { dependentSchemas: { a: { properties: { a: true, b: true } } }, unevaluatedProperties: false },
      valid: [{ a: 1, b: 1 }],
      invalid: [{ b: 1 }],
    },
    {
      schema: { $ref: '#/$defs/d', unevaluatedProperties: false },
      defs: { d: { patternProperties: { '^x': true } } },
      valid: [{ x1: 1 }],
      invalid: [{ y: 1 }],
    },
    {
      schema: { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
      valid: [{}],
      invalid: [{ a: 1 }],
    },
    { schema: { allOf: [{ additionalProperties: true }], unevaluatedProperties: false }, valid: [{ z: 1 }] },
    { schema: { allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false }, valid: [{ z: 1 }] },
    {
      schema: {
        items: {
          anyOf: [
            { properties: { a: { type: 'number' } }, required: ['a'] },
            { properties: { b: true }, required: ['b'] },
          ],
          unevaluatedProperties: false,
        },
      },
      valid: [[{ a: 1 }, { b: 1 }]],
      invalid: [[{ b: 1, a: 'x' }], [{ a: 1 }, { b: 1, a: 'x' }]],
    },
  ],
  unevaluatedItems: [
    { schema: { prefixItems: [true], unevaluatedItems: false }, valid: [[], [1], 'x'], invalid: [[1, 2]] },
    {
      schema: { allOf: [{ prefixItems: [true, true] }], unevaluatedItems: { type: 'number' } },
      valid: [['a', 'b', 1]],
      invalid: [['a', 'b', 'c']],
    },
    { schema: { contains: { type: 'number' }, unevaluatedItems: false }, valid: [[1, 2]], invalid: [[1, 'a']] },
    {
      schema: { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'boolean' } },
      valid: [['a', 'b'], [true]],
      invalid: [['a', 1]],
    },
    { schema: { allOf: [{ unevaluatedItems: true }], unevaluatedItems: false }, valid: [[1, 2]] },
  ],
  prefixItems: [
    {
      schema: { prefixItems: [{ type: 'number' }, { type: 'string' }] },
      valid: [[], [1], [1, 'a', null], {}],
      invalid: [['a'], [1, 2]],
    },
  ],
  items: [
    { schema: { items: { type: 'number' } }, valid: [[], [1, 2], 'x'], invalid: [[1, 'a']] },
    { schema: { prefixItems: [{ type: 'string' }], items: false }, valid: [[], ['a']], invalid: [['a', 'b']] },
  ],
  contains: [{ schema: { contains: { minimum: 5, type: 'number' } }, valid: [[1, 5], 'x'], invalid: [[], [1, 4]] }],
  allOf: [{ schema: { allOf: [{ minimum: 1 }, { maximum: 3 }] }, valid: [1, 3], invalid: [0, 4] }],
  anyOf: [{ schema: { anyOf: [{ type: 'string' }, { type: 'null' }] }, valid: ['', null], invalid: [0] }],
  oneOf: [{ schema: { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, valid: [2, 3, 9], invalid: [6, 1] }],
  not: [
    { schema: { not: { type: 'string' } }, valid: [1, null], invalid: ['a'] },
    { schema: { not: {} }, invalid: [1, null] },
  ],
  if: [
    {
      schema: { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } },
      valid: ['ab', 2, null],
      invalid: ['a', 1],
    },
    { schema: { if: { type: 'string' } }, valid: ['a', 1] },
  ],
  then: [
    {
      schema: { if: { required: ['a'] }, then: { required: ['b'] } },
      valid: [{}, { a: 1, b: 1 }],
      invalid: [{ a: 1 }],
    },
    { schema: { then: { type: 'string' } }, valid: [1] },
  ],
  else: [
    { schema: { if: { required: ['a'] }, else: { required: ['b'] } }, valid: [{ a: 1 }, { b: 1 }], invalid: [{}] },
    { schema: { else: { type: 'string' } }, valid: [1] },
  ],
  dependentSchemas: [
    {
      schema: { dependentSchemas: { a: { required: ['b'] }, constructor: { required: ['c'] } } },
      valid: [{}, { a: 1, b: 1 }],
      invalid: [{ a: 1 }, { constructor: 1 }],
    },
  ],
  $ref: [
    { schema: { $ref: '#/$defs/d', maximum: 5 }, defs: { d: { type: 'integer' } }, valid: [5], invalid: [6, 1.5] },
    { schema: { $ref: '#/$defs/a~1b%25%20%22' }, defs: { 'a/b% "': { type: 'integer' } }, valid: [5], invalid: ['x'] },
    {
      schema: { $ref: '#/$defs/tree' },
      defs: {
        tree: {
          type: 'object',
          required: ['n'],
          properties: { n: { type: 'integer' }, next: { $ref: '#/$defs/tree' } },
        },
      },
      valid: [{ n: 1, next: { n: 2 } }],
      invalid: [
        { n: 1, next: { n: 'x' } },
        { n: 1, next: { next: {} } },
      ],
    },
    {
      schema: { $ref: '#/$defs/constructor' },
      defs: { constructor: { type: 'null' }, toString: { $ref: '#/$defs/constructor' } },
      valid: [null],
      invalid: [1],
    },
    {
      schema: { $ref: '#/$defs/d/properties/p' },
      defs: { d: { properties: { p: { type: 'null' } } } },
      valid: [null],
      invalid: [1],
    },
    { schema: { $ref: '#/$defs/no' }, defs: { no: false }, invalid: [null, 1] },
    {
      schema: { properties: { again: { $ref: '#' } } },
      valid: [{ again: { v: {} } }],
      invalid: [{ again: 1 }, { again: { v: { again: [] } } }],
    },
  ],
  $anchor: [{ schema: { $ref: '#here' }, defs: { d: { $anchor: 'here', type: 'null' } }, valid: [null], invalid: [1] }],
  $defs: [{ schema: { $defs: { d: { type: 'null' } }, type: 'string' }, valid: ['a'], invalid: [null] }],
};
