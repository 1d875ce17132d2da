import type { JsonObject } from '../../src/events/json.js';
import { isApprovalBound, type ToolDeclaration } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';

/* What a tool says of itself is judged once, before the service serves anybody: a refusal names tool, place and keyword. */

const TOOL: ToolDeclaration = {
  name: 'of_the_test',
  description: 'A tool.',
  effect: 'read_only',
  parameters: { type: 'object' },
};

function register(...declarations: object[]): ToolRegistry {
  const registry = new ToolRegistry();
  for (const changed of declarations) {
    const declaration = { ...TOOL, ...changed } as ToolDeclaration;
    registry.register({ declaration, implementation: { execute: () => null } });
  }
  return registry;
}

const asking = (property: JsonObject, more: JsonObject = {}) => ({
  inputSchema: { type: 'object', properties: { v: property }, ...more },
});

describe('registering a tool', () => {
  it.each<[string, object, string, string]>([
    ['at the root', asking({}, { nullable: true }), '/nullable', 'nullable'],
    ['in a property', asking({ nullable: true }), '/properties/v/nullable', 'nullable'],
    [
      'in items of items',
      asking({ items: { items: { minLenght: 1 } } }),
      '/properties/v/items/items/minLenght',
      'minLenght',
    ],
    ['in a definition', asking({}, { $defs: { 'a/b': { formatt: 'x' } } }), '/$defs/a~1b/formatt', 'formatt'],
    ['of another dialect', asking({}, { dependencies: {} }), '/dependencies', 'dependencies'],
    [
      'in the parameters',
      { parameters: { type: 'object', properties: { v: { requird: [] } } } },
      '/properties/v/requird',
      'requird',
    ],
  ])(
    'INP-5 refuses an unknown assertion %s, with the tool, the keyword and its path',
    (_where, changed, path, keyword) => {
      expect(() => register(changed)).toThrow(`unusable at ${path} (${keyword})`);
      expect(() => register(changed)).toThrow('"of_the_test"');
    },
  );

  it('INP-5 keeps annotations as they are: a form may want them, the validator ignores them', () => {
    const schema = {
      title: 't',
      description: 'd',
      examples: [1],
      deprecated: true,
      $comment: 'c',
      contentMediaType: 'text/plain',
      example: 1,
      enumNames: ['one'],
      markdownDescription: '**d**',
      'x-order': 1,
      format: 'of-nobody',
    };
    const declaration = register(asking(schema)).find('of_the_test')?.declaration;
    expect(declaration?.inputSchema).toEqual({ type: 'object', properties: { v: schema } });
  });

  it.each([
    ['true', true],
    ['nothing declared', { type: 'object' }],
    ['a remote reference', { type: 'object', properties: { v: { $ref: 'https://example.org/schema' } } }],
    ['what does not compile', { type: 'object', properties: { v: { pattern: '(' } } }],
    ['`__proto__`', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')],
  ])('INP-5 INP-6 refuses an input schema that is no question: %s', (_what, inputSchema) => {
    expect(() => register({ inputSchema })).toThrow(/"of_the_test".+input schema is unusable/);
  });

  it.each([
    ['declares a write', { effect: 'idempotent_write' }, 'approval-bound'],
    ['declares a write that must not happen twice', { effect: 'non_idempotent_write' }, 'approval-bound'],
    ['asks for approval', { approval: true }, 'it asks for approval, so'],
    ['is remote', { remote: true }, 'being remote makes it approval-bound'],
  ])('INP-7 refuses an input schema of a tool that %s', (_what, changed, words) => {
    expect(() => register({ ...asking({}), ...changed })).toThrow(words);
  });

  it('APP-1 wants every tool to declare its effect, in one of the words there are', () => {
    for (const effect of [undefined, null, '', 'write', 'READ_ONLY', 'constructor']) {
      expect(() => register({ effect })).toThrow('its effect must be one of');
    }
  });

  it.each(['approval', 'remote', 'adminOnly'])('refuses %s that is neither true nor false', (flag) => {
    for (const value of [null, 'true', 1]) {
      expect(() => register({ [flag]: value })).toThrow(`its ${flag} must be true or false`);
    }
    expect(register({ [flag]: false }).declarations()).toHaveLength(1);
  });

  it('refuses a name that is taken, and one that a call could not have', () => {
    expect(() => register({}, {})).toThrow('"of_the_test"');
    for (const name of ['', 'two words', 'x'.repeat(65), 'dot.ted', undefined]) {
      expect(() => register({ name })).toThrow('its name must match');
    }
    expect(register({ name: 'constructor' }, { name: '__proto__' }).declarations()).toHaveLength(2);
  });
});

describe('what needs approval', () => {
  it.each<[string, Partial<ToolDeclaration>, boolean | null, boolean]>([
    ['what reads needs none', {}, null, false],
    ['what reads, and asks for it', { approval: true }, null, true],
    ['what reads, where an operator wants it', {}, true, true],
    ['what reads, where an operator wants none', {}, false, false],
    ['what asks for it, whatever an operator wants', { approval: true }, false, true],
    ['a write', { effect: 'idempotent_write' }, null, true],
    ['a write that must not happen twice', { effect: 'non_idempotent_write' }, null, true],
    ['a write that declares it needs none', { effect: 'idempotent_write', approval: false }, null, true],
    ['a write, whatever an operator wants', { effect: 'idempotent_write' }, false, true],
    ['what is remote, whatever it says that it does', { remote: true }, null, true],
    ['what is remote, until an operator says otherwise', { remote: true, effect: 'idempotent_write' }, false, false],
    ['what is remote, where an operator wants it', { remote: true }, true, true],
    ['what is remote, and asks for it', { remote: true, approval: true }, false, true],
  ])('APP-1 INP-7 is decided by one predicate: %s', (_what, changed, operatorWants, bound) => {
    expect(isApprovalBound({ ...TOOL, ...changed }, operatorWants)).toBe(bound);
  });
});
