import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { isUsableInputSchema, validateAnswer } from '../../src/run/input-schema.js';
import { ADMITTED_KEYWORDS } from '../../src/run/schema/schema-keywords.js';
import { APPLICATOR_CASES } from './applicator-cases.js';
import { ASSERTION_CASES } from './assertion-cases.js';
import type { KeywordCase } from './keyword-case.js';

/*
 * What each admitted keyword of JSON Schema 2020-12 means, written from the specification (Core and
 * Validation). The value under test is the member `v` of an answer.
 */

const CASES = { ...ASSERTION_CASES, ...APPLICATOR_CASES };

/** Names that every object has by inheritance, as own members of values that are compared. */
const COMPARED_BY_NAME: readonly KeywordCase[] = [
  {
    schema: { const: { constructor: { a: 1 }, valueOf: 5 } },
    valid: [{ valueOf: 5, constructor: { a: 1 } }],
    invalid: [{ valueOf: 5 }, {}],
  },
  { schema: { enum: [{ toString: null }] }, valid: [{ toString: null }], invalid: [{}] },
  {
    schema: { uniqueItems: true },
    valid: [[{ valueOf: 1 }, { valueOf: 2 }]],
    invalid: [
      [{ constructor: {} }, { constructor: {} }],
      [{ valueOf: 1 }, { valueOf: 1 }],
    ],
  },
  { schema: { const: JSON.parse('{"__proto__":1}') }, valid: [JSON.parse('{"__proto__":1}')], invalid: [{}] },
];

function schemaOf({ schema, defs }: KeywordCase): JsonObject {
  return { type: 'object', properties: { v: schema }, ...(defs === undefined ? {} : { $defs: defs }) };
}

function verdicts(each: KeywordCase): unknown {
  const schema = schemaOf(each);
  const judge = (v: JsonValue) => [v, validateAnswer(schema, { v }).valid];
  return {
    usable: isUsableInputSchema(schema),
    valid: (each.valid ?? []).map(judge),
    invalid: (each.invalid ?? []).map(judge),
  };
}

function expected(each: KeywordCase): unknown {
  return {
    usable: { usable: true },
    valid: (each.valid ?? []).map((v) => [v, true]),
    invalid: (each.invalid ?? []).map((v) => [v, false]),
  };
}

describe('the keywords of JSON Schema 2020-12', () => {
  it('INP-5 has cases here for every admitted keyword', () => {
    expect(Object.keys(CASES).sort()).toEqual([...ADMITTED_KEYWORDS.keys()].sort());
  });

  it.each(Object.entries(CASES))('INP-4 gives "%s" the meaning of the specification', (_keyword, cases) => {
    expect(cases.map(verdicts)).toEqual(cases.map(expected));
  });

  it('INP-6 compares values by their own members, whatever these are called', () => {
    expect(COMPARED_BY_NAME.map(verdicts)).toEqual(COMPARED_BY_NAME.map(expected));
  });

  it.each([
    ['true', true, true],
    ['false', false, false],
    ['{}', {}, true],
  ])('INP-4 takes %s for a schema', (_text, schema, valid) => {
    expect([0, null, {}, 'x'].map((v) => validateAnswer(schemaOf({ schema }), { v }).valid)).toEqual(
      Array(4).fill(valid),
    );
  });
});
