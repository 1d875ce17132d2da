import { isUsableInputSchema, validateAnswer } from '../../src/run/input-schema.js';
import { asking, refusal } from './asking-schema.js';

describe('the keywords of an input schema', () => {
  it.each([
    'title',
    'description',
    '$comment',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
    'examples',
    'contentEncoding',
    'contentMediaType',
    'contentSchema',
    'example',
    'enumNames',
    'markdownDescription',
    'x-order',
    'x-',
  ])('INP-5 keeps the annotation "%s" and ignores it, whatever its value', (keyword) => {
    for (const value of ['text', 5, null, { nullable: true, $ref: 'http://elsewhere' }, [{ type: 'nonsense' }]]) {
      const schema = asking({ type: 'string', [keyword]: value });
      expect(isUsableInputSchema(schema)).toEqual({ usable: true });
      expect(validateAnswer(schema, { v: 'a' })).toEqual({ valid: true });
      expect(validateAnswer(schema, { v: 1 }).valid).toBe(false);
    }
  });

  it('INP-5 never fills in a default', () => {
    const schema = asking({ type: 'string', default: 'preset' });
    const answer = {};
    expect(validateAnswer(schema, answer)).toEqual({ valid: true });
    expect(answer).toEqual({});
  });

  it.each([
    ['nullable', true, /"type": \["string", "null"\]/],
    ['dependencies', {}, /"dependentRequired".*"dependentSchemas"/],
    ['definitions', {}, /"\$defs"/],
    ['id', 'x', /"\$anchor"/],
    ['divisibleBy', 2, /"multipleOf"/],
    ['additionalItems', false, /"prefixItems".*"items"/],
    ['disallow', 'string', /"not"/],
    ['extends', {}, /"allOf"/],
    ['optional', true, /"required"/],
    ['$recursiveRef', '#', /"\$ref": "#"/],
    ['$recursiveAnchor', true, /"\$anchor"/],
    ['$dynamicRef', '#x', /"\$ref"/],
    ['$dynamicAnchor', 'x', /"\$anchor"/],
    ['$vocabulary', {}, /leave it out/],
    ['discriminator', { propertyName: 'x' }, /"oneOf".*"const"/],
    ['xml', {}, /"x-xml"/],
    ['externalDocs', {}, /"x-externalDocs"/],
    ['optionalProperties', {}, /"properties"/],
    ['elements', {}, /"items"/],
    ['values', {}, /"additionalProperties"/],
    ['ref', 'x', /"\$ref"/],
    ['$data', '1/x', /constant/],
    ['formatMinimum', '2020-01-01', /tool/],
    ['formatMaximum', '2020-01-01', /tool/],
    ['formatExclusiveMinimum', '2020-01-01', /tool/],
    ['formatExclusiveMaximum', '2020-01-01', /tool/],
    ['regexp', '/a/', /"pattern"/],
    ['typeof', 'string', /"type"/],
    ['instanceof', 'Date', /"type"/],
    ['errorMessage', 'no', /"x-errorMessage"/],
  ])('INP-5 refuses "%s" of another dialect and says what to write instead', (keyword, value, advice) => {
    const fault = refusal(asking({ anyOf: [{ items: { [keyword]: value } }] }));
    expect(fault).toEqual({
      keyword,
      pointer: `/properties/v/anyOf/0/items/${keyword}`,
      message: expect.stringMatching(advice),
    });
  });

  it.each([
    'Type',
    'maxLen',
    'readonly',
    'X-order',
    '',
    'toString',
    'constructor',
    '$async',
    '__proto__',
    'holdpoint:effort',
    'if/then',
  ])('INP-5 refuses "%s", which may be an assertion that nobody here understands', (keyword) => {
    const schema = asking(JSON.parse(`{"type":"string",${JSON.stringify(keyword)}:1}`));
    expect(refusal(schema)).toMatchObject({ keyword, message: expect.stringContaining('x-') });
  });

  it('INP-5 looks for keywords where schemas are, and nowhere else', () => {
    const strange = { nullable: true, $ref: 'http://elsewhere', __proto: 1, type: 'nonsense' };
    const schema = asking(
      { enum: [strange], const: strange, default: strange, examples: [strange], 'x-y': strange },
      {
        properties: { v: {}, nullable: {}, $ref: {}, definitions: {} },
        required: ['nullable'],
        dependentRequired: { id: ['$ref'] },
      },
    );
    expect(isUsableInputSchema(schema)).toEqual({ usable: true });
    for (const within of [
      'items',
      'contains',
      'not',
      'if',
      'then',
      'else',
      'additionalProperties',
      'propertyNames',
      'unevaluatedItems',
      'unevaluatedProperties',
    ]) {
      expect(refusal(asking({ [within]: { nullable: true } })).pointer).toBe(`/properties/v/${within}/nullable`);
    }
    for (const within of ['properties', 'patternProperties', 'dependentSchemas', '$defs']) {
      expect(refusal(asking({ [within]: { a: { nullable: true } } })).pointer).toBe(
        `/properties/v/${within}/a/nullable`,
      );
    }
    for (const within of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
      expect(refusal(asking({ [within]: [true, { nullable: true }] })).pointer).toBe(
        `/properties/v/${within}/1/nullable`,
      );
    }
  });

  it.each([
    ['type', 'text', /one or several of/],
    ['type', 'any', /leave it out/],
    ['type', [], /one or several of/],
    ['type', ['string', 'string'], /twice/],
    ['enum', { a: 1 }, /list/],
    ['multipleOf', 0, /above 0/],
    ['minimum', '1', /number/],
    ['exclusiveMinimum', true, /in place of "minimum"/],
    ['exclusiveMaximum', false, /in place of "maximum"/],
    ['maxLength', -1, /whole number/],
    ['minItems', 1.5, /whole number/],
    ['pattern', '(', /regular expression/],
    ['pattern', '(?=a)', /looks around/],
    ['pattern', '(a)\\1', /refers back/],
    ['pattern', 5, /regular expression/],
    ['patternProperties', { '(?!a)': {} }, /looks around/],
    ['format', null, /text/],
    ['uniqueItems', 'true', /true or false/],
    ['required', true, /beside "properties"/],
    ['required', 'a', /list of names/],
    ['required', ['a', 'a'], /twice/],
    ['dependentRequired', { a: 'b' }, /list of names/],
    ['properties', [], /object of schemas/],
    ['allOf', [], /one or more/],
    ['anyOf', {}, /one or more/],
    ['$ref', 'http://example.org/schema.json', /begin with "#"/],
    ['$ref', 'other.json#/$defs/a', /begin with "#"/],
    ['$ref', '#/$defs/missing', /leads to no schema/],
    ['$ref', '#missing', /leads to no schema/],
    ['$ref', '#/properties', /leads to no schema/],
    ['$ref', '#/required/0', /leads to no schema/],
    ['$ref', '#/constructor', /leads to no schema/],
    ['$ref', '#/__proto__', /leads to no schema/],
    ['$ref', '#/%', /percent-encoded/],
    ['$ref', 5, /text/],
    ['$anchor', '1a', /name/],
    ['$id', 'https://example.org/inner', /root only/],
    ['$schema', 'http://json-schema.org/draft-07/schema#', /2020-12/],
  ])('INP-5 refuses "%s": %j', (keyword, value, reason) => {
    expect(refusal(asking({ [keyword]: value }, { required: ['v'] }))).toEqual({
      keyword,
      pointer: `/properties/v/${keyword}`,
      message: expect.stringMatching(reason),
    });
  });

  it('INP-5 refuses a list of schemas for "items" and says what to write instead', () => {
    expect(refusal(asking({ items: [{ type: 'string' }] }))).toMatchObject({
      keyword: 'items',
      message: expect.stringContaining('"prefixItems"'),
    });
  });

  it('INP-5 refuses a reference into a value, where unknown words would not be seen', () => {
    expect(
      refusal(
        asking(
          { const: { nullable: true } },
          { properties: { v: { const: {} }, w: { $ref: '#/properties/v/const' } } },
        ),
      ),
    ).toMatchObject({
      keyword: '$ref',
      pointer: '/properties/w/$ref',
    });
  });

  it.each([
    ['properties', '{"__proto__":{"type":"string"}}'],
    ['$defs', '{"__proto__":{}}'],
    ['patternProperties', '{"__proto__":{}}'],
    ['dependentSchemas', '{"__proto__":{}}'],
    ['dependentRequired', '{"__proto__":["a"]}'],
    ['dependentRequired', '{"a":["__proto__"]}'],
    ['required', '["__proto__"]'],
  ])('INP-6 refuses a schema that declares the name "__proto__" in %s', (keyword, value) => {
    expect(refusal(asking({ [keyword]: JSON.parse(value) }))).toMatchObject({
      keyword,
      message: expect.stringContaining('"__proto__"'),
    });
  });
});
