import type { KeywordCase } from './keyword-case.js';

/** The validation vocabulary of JSON Schema 2020-12 (Validation, sections 6 and 7). */
export const ASSERTION_CASES: Readonly<Record<string, readonly KeywordCase[]>> = {
  type: [
    { schema: { type: 'null' }, valid: [null], invalid: [0, '', false, [], {}] },
    { schema: { type: 'boolean' }, valid: [true, false], invalid: [0, 'true', null] },
    { schema: { type: 'string' }, valid: ['', '1', 'null'], invalid: [1, null, ['a']] },
    { schema: { type: 'number' }, valid: [0, -1.5, 1e300], invalid: ['1', null, true] },
    { schema: { type: 'integer' }, valid: [0, -7, 2.0, 1e2], invalid: [1.5, '1', true] },
    { schema: { type: 'object' }, valid: [{}, { a: 1 }], invalid: [[], null, 'a'] },
    { schema: { type: 'array' }, valid: [[], [{}]], invalid: [{}, null, 'a'] },
    { schema: { type: ['string', 'null'] }, valid: ['', null], invalid: [0, false] },
  ],
  enum: [
    {
      schema: { enum: ['a', 1, null, { x: [1, 2] }] },
      valid: ['a', 1, 1.0, null, { x: [1, 2] }],
      invalid: ['b', '1', true, { x: [2, 1] }, {}],
    },
    { schema: { enum: [0, ''] }, valid: [0, ''], invalid: [false, null] },
    { schema: { enum: [] }, invalid: ['a', null] },
  ],
  const: [
    { schema: { const: false }, valid: [false], invalid: [0, null, ''] },
    { schema: { const: null }, valid: [null], invalid: [0, false, {}] },
    { schema: { const: { a: 1, b: [2] } }, valid: [{ b: [2], a: 1 }], invalid: [{ a: 1 }, { a: 1, b: [2], c: 3 }] },
    { schema: { const: 'a"b' }, valid: ['a"b'], invalid: ['a'] },
  ],
  multipleOf: [
    { schema: { multipleOf: 0.01 }, valid: [19.99, 0.07, 0, -1.1, 'x'], invalid: [19.999, 0.001] },
    { schema: { multipleOf: 3 }, valid: [-9, 0, 3e2], invalid: [1, 3.5] },
    { schema: { multipleOf: 1e-7 }, valid: [3e-7, 1], invalid: [1.5e-7] },
  ],
  maximum: [{ schema: { maximum: 3 }, valid: [3, -1, '4'], invalid: [3.01, 4] }],
  exclusiveMaximum: [{ schema: { exclusiveMaximum: 3 }, valid: [2.99], invalid: [3, 4] }],
  minimum: [{ schema: { minimum: -1 }, valid: [-1, 0, 'x'], invalid: [-1.01] }],
  exclusiveMinimum: [{ schema: { exclusiveMinimum: 0 }, valid: [0.01], invalid: [0, -1] }],
  maxLength: [
    { schema: { maxLength: 2 }, valid: ['', 'ab', '😀😀', 300], invalid: ['abc', '😀😀😀'] },
    { schema: { maxLength: 0 }, valid: [''], invalid: ['a'] },
  ],
  minLength: [{ schema: { minLength: 2 }, valid: ['ab', '😀😀', 'abcdef', 1], invalid: ['', 'a', '😀'] }],
  pattern: [
    {
      schema: { pattern: '^[A-Z]{2}[0-9]{6}$' },
      valid: ['AB123456', 7],
      invalid: ['AB12345', 'xAB123456', 'AB123456\n'],
    },
    { schema: { pattern: 'b' }, valid: ['abc'], invalid: ['ac', ''] },
  ],
  format: [
    { schema: { format: 'date' }, valid: ['2024-02-29', 5], invalid: ['2023-02-29', '2024-2-9', '29.02.2024', ''] },
    {
      schema: { format: 'time' },
      valid: ['13:45:00Z', '13:45:00.5+02:00', '23:59:60Z'],
      invalid: ['13:45', '25:00:00Z', '13:45:00', '13:45:00+0200'],
    },
    {
      schema: { format: 'date-time' },
      valid: ['2026-01-31T13:45:00Z', '2026-01-31t13:45:00.123-05:30'],
      invalid: ['2026-01-31 13:45:00Z', '2026-01-31T13:45:00', '2026-02-30T13:45:00Z'],
    },
    { schema: { format: 'duration' }, valid: ['P3DT12H', 'P2W'], invalid: ['P', '3D', 'PT'] },
    { schema: { format: 'email' }, valid: ['a.b+c@example.org'], invalid: ['a@', 'example.org', 'a b@example.org'] },
    { schema: { format: 'hostname' }, valid: ['a-b.example'], invalid: ['-a', 'a_b', 'a..b'] },
    { schema: { format: 'ipv4' }, valid: ['127.0.0.1'], invalid: ['256.0.0.1', '127.1', '01.2.3.4'] },
    { schema: { format: 'ipv6' }, valid: ['::1', 'fe80::1:2'], invalid: ['12345::', ':::', '1.2.3.4'] },
    { schema: { format: 'uri' }, valid: ['https://example.org/a?b#c', 'urn:x:y'], invalid: ['/a', 'a b:c', ''] },
    { schema: { format: 'uri-reference' }, valid: ['/a', '', 'https://example.org'], invalid: ['a b', '\\a'] },
    { schema: { format: 'uri-template' }, valid: ['/a/{id}'], invalid: ['/a/{id'] },
    {
      schema: { format: 'uuid' },
      valid: ['00112233-4455-6677-8899-aabbccddeeff'],
      invalid: ['00112233445566778899aabbccddeeff', 'urn:uuid:00112233-4455-6677-8899-aabbccddeeff'],
    },
    { schema: { format: 'json-pointer' }, valid: ['', '/a~1b'], invalid: ['a', '/a~b'] },
    { schema: { format: 'relative-json-pointer' }, valid: ['0#', '1/a'], invalid: ['/a', '01'] },
    { schema: { format: 'regex' }, valid: ['^a+$'], invalid: ['(', '\\-'] },
    { schema: { format: 'favourite-colour' }, valid: ['anything', ''] },
    { schema: { format: 'iri' }, valid: ['anything'] },
  ],
  maxItems: [{ schema: { maxItems: 1 }, valid: [[], [1], 'ab'], invalid: [[1, 2]] }],
  minItems: [{ schema: { minItems: 1 }, valid: [[null], {}], invalid: [[]] }],
  uniqueItems: [
    {
      schema: { uniqueItems: true },
      valid: [[], [1, true], ['1', 1], [{ a: 1 }, { a: 2 }], [[], {}]],
      invalid: [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [null, 0, null],
      ],
    },
    { schema: { uniqueItems: false }, valid: [[1, 1]] },
  ],
  maxContains: [
    { schema: { contains: { type: 'number' }, maxContains: 1 }, valid: [[1], ['a', 1]], invalid: [[1, 2], []] },
    { schema: { maxContains: 1 }, valid: [[1, 2]] },
  ],
  minContains: [
    { schema: { contains: { type: 'number' }, minContains: 2 }, valid: [[1, 'a', 2]], invalid: [[1], []] },
    { schema: { contains: { type: 'number' }, minContains: 0 }, valid: [[], ['a']] },
    { schema: { contains: { type: 'number' }, minContains: 2, maxContains: 1 }, invalid: [[1], [1, 2], []] },
  ],
  maxProperties: [{ schema: { maxProperties: 1 }, valid: [{}, { a: 1 }, [1, 2]], invalid: [{ a: 1, b: 2 }] }],
  minProperties: [{ schema: { minProperties: 1 }, valid: [{ a: null }, []], invalid: [{}] }],
  required: [
    { schema: { required: ['a', 'constructor'] }, valid: [{ a: null, constructor: 0 }, 'x'], invalid: [{}, { a: 1 }] },
    { schema: { required: ['toString', 'hasOwnProperty', 'valueOf'] }, invalid: [{}] },
    { schema: { required: [] }, valid: [{}] },
  ],
  dependentRequired: [
    {
      schema: { dependentRequired: { a: ['b'], toString: ['c'] } },
      valid: [{}, { b: 1 }, { a: 1, b: 1 }, 'x'],
      invalid: [{ a: null }, { toString: 1 }],
    },
  ],
};
