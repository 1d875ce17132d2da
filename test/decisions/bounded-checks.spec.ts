import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { ANSWER_BOUNDS, isUsableInputSchema, validateAnswer } from '../../src/run/input-schema.js';

/** Far above what any of these takes, and far below what they would take without bounds. */
const BOUNDED_MS = 5_000;

function checkInTime(schema: JsonObject, answer: JsonValue) {
  expect(isUsableInputSchema(schema)).toEqual({ usable: true });
  const started = performance.now();
  const validity = validateAnswer(schema, answer);
  expect(performance.now() - started).toBeLessThan(BOUNDED_MS);
  return validity;
}

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue, innermost: JsonValue): JsonValue {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

const OPEN: JsonObject = { type: 'object', properties: { v: {} } };

describe('checking hostile answers', () => {
  it('INP-3 takes up to 5,000 values', () => {
    const list = (length: number): JsonValue => ({ v: Array.from({ length }, () => 0) });
    expect(checkInTime(OPEN, list(ANSWER_BOUNDS.maxNodes - 2))).toEqual({ valid: true });
    expect(checkInTime(OPEN, list(ANSWER_BOUNDS.maxNodes - 1))).toMatchObject({
      valid: false,
      faults: [{ pointer: '', keyword: 'maxNodes' }],
    });
  });

  it('INP-3 takes up to 64 levels', () => {
    const deep = (levels: number) => ({ v: nested(levels - 1, (inner) => [inner], 0) });
    expect(checkInTime(OPEN, deep(ANSWER_BOUNDS.maxDepth))).toEqual({ valid: true });
    expect(checkInTime(OPEN, deep(ANSWER_BOUNDS.maxDepth + 1))).toMatchObject({
      valid: false,
      faults: [{ pointer: '', keyword: 'maxDepth' }],
    });
  });

  it.each<[string, JsonValue]>([
    ['10,000 levels of lists', nested(10_000, (inner) => [inner], 0)],
    ['10,000 levels of objects', nested(10_000, (inner) => ({ v: inner }), 0)],
    ['300 kB of numbers', Array.from({ length: 150_000 }, () => 0)],
    ['300 kB of members', Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`name${index}`, 0]))],
    ['300 kB of empty lists', Array.from({ length: 100_000 }, () => [])],
  ])('INP-3 refuses %s before the schema is asked', (_what, v) => {
    expect(checkInTime(OPEN, { v })).toMatchObject({
      valid: false,
      faults: [{ keyword: expect.stringMatching(/^max(Depth|Nodes)$/) }],
    });
  });

  it.each(['^(a+)+$', '^(a|aa)*$', '(a*)*b$', '^([a-z]+)*\\d$'])(
    'INP-4 answers %s on texts made to backtrack',
    (pattern) => {
      const schema = { type: 'object', properties: { v: { pattern } } };
      for (const length of [31, 1_000, 300_000]) {
        expect(checkInTime(schema, { v: `${'a'.repeat(length)}!` })).toMatchObject({
          valid: false,
          faults: [{ pointer: '/v', keyword: 'pattern' }],
        });
      }
    },
  );

  it.each([
    'date',
    'time',
    'date-time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
    'uri-template',
    'uuid',
    'json-pointer',
    'regex',
  ])('INP-4 answers the format %s on 300 kB', (format) => {
    const schema = { type: 'object', properties: { v: { format } } };
    for (const piece of ['a', '1', 'a.', 'a-', '1:', '%', '{a,', '~', '/', '(', 'a@', '::']) {
      checkInTime(schema, { v: `${piece.repeat(300_000 / piece.length)}\n` });
    }
  });

  it('INP-3 refuses an answer whose check would double with each level', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { left: { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, name: { type: 'string' } },
    };
    const answer = nested(60, (inner) => ({ left: inner }), { name: 1 });
    expect(checkInTime(schema, answer)).toMatchObject({
      valid: false,
      faults: [{ pointer: '', keyword: 'maxEffort' }],
    });
    expect(
      checkInTime(
        schema,
        nested(5, (inner) => ({ left: inner }), { name: 'a' }),
      ),
    ).toEqual({ valid: true });
  });

  it('INP-3 refuses an answer whose unevaluated members would double with each level', () => {
    const branch = (name: string): JsonObject => ({ properties: { next: { $ref: '#/$defs/n' }, [name]: true } });
    const schema: JsonObject = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/n' } },
      $defs: { n: { anyOf: [branch('a'), branch('b')], unevaluatedProperties: false } },
    };
    expect(
      checkInTime(
        schema,
        nested(60, (inner) => ({ next: inner }), { c: 1 }),
      ),
    ).toMatchObject({ valid: false, faults: [{ keyword: 'maxEffort' }] });
    expect(
      checkInTime(
        schema,
        nested(3, (inner) => ({ next: inner }), { a: 1 }),
      ),
    ).toEqual({ valid: true });
  });

  it('INP-3 does not pile up millions of faults', () => {
    const required = Array.from({ length: 4_000 }, (_, index) => `n${index}`);
    const schema = { type: 'object', properties: { v: { items: { required } } } };
    expect(checkInTime(schema, { v: Array.from({ length: 4_000 }, () => ({})) })).toMatchObject({
      valid: false,
      faults: [{ keyword: 'maxEffort' }],
    });
  });

  it('INP-4 bounds what many costly patterns on one long text add up to', () => {
    const allOf = Array.from({ length: 100 }, (_, index) => ({ pattern: `a[ab]{900}[c${index}]` }));
    const schema = { type: 'object', properties: { v: { allOf } } };
    let state = 1;
    const letters = Array.from({ length: 100_000 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 2 === 0 ? 'a' : 'b';
    });
    expect(checkInTime(schema, { v: letters.join('') })).toMatchObject({
      valid: false,
      faults: [{ keyword: 'maxEffort' }],
    });
  });

  it('INP-4 takes a long text that is meant to be long', () => {
    const schema = { type: 'object', properties: { v: { type: 'string', maxLength: 300_000, pattern: '^[^<>]*$' } } };
    expect(checkInTime(schema, { v: 'é'.repeat(250_000) })).toEqual({ valid: true });
  });

  it('INP-3 finds repeated items in a long list without comparing each with each', () => {
    const schema = { type: 'object', properties: { v: { uniqueItems: true } } };
    const v = Array.from({ length: 1_600 }, (_, index) => ({ index, same: [] }));
    expect(checkInTime(schema, { v })).toEqual({ valid: true });
    expect(checkInTime(schema, { v: [...v.slice(1), { same: [], index: 7 }] })).toMatchObject({ valid: false });
  });

  it('goes on answering after a check that was given up', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { v: { anyOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'null' }] } },
    };
    const costly = nested(60, (inner) => ({ v: inner }), { v: 1 });
    for (let round = 0; round < 3; round++) {
      expect(checkInTime(schema, costly)).toMatchObject({ valid: false });
      expect(checkInTime(schema, { v: null })).toEqual({ valid: true });
    }
  });
});
