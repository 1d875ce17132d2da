import { _, type Ajv2020, type CodeKeywordDefinition, type KeywordCxt, Name } from 'ajv/dist/2020.js';
import type { JsonValue } from '../../events/json.js';
import { spendEffort } from './check-effort.js';
import { isMultipleOf } from './exact-multiple.js';
import { jsonIdentity } from './json-identity.js';

/**
 * Keywords that are ours in place of ajv's. ajv compares values by way of their `constructor` and `valueOf`, which an answer may have as
 * plain members; divides binary fractions, so that 19.99 is no multiple of 0.01; counts members as evaluated that are not; and
 * counts every character of a long text for each limit on it.
 */

/** Marks each schema that is compiled with what it costs to enter it. Never part of a schema that somebody wrote. */
export const EFFORT = 'holdpoint:effort';

const effort: CodeKeywordDefinition = {
  keyword: EFFORT,
  schemaType: 'number',
  before: '$ref',
  code({ gen, schema }) {
    gen.code(_`${gen.scopeValue('func', { ref: spendEffort })}(${schema as number})`);
  },
};

/** A keyword that is a function of its own value: given that, it says of a value whether it fits. */
function keywordOf<Value>(
  keyword: string,
  type: 'array' | 'number' | 'string' | undefined,
  parameter: string,
  judgeBy: (keywordValue: Value) => (value: never) => boolean,
): CodeKeywordDefinition {
  return {
    keyword,
    ...(type === undefined ? {} : { type }),
    error: { message: keyword, params: ({ schemaCode }) => _`{${new Name(parameter)}: ${schemaCode}}` },
    code(context: KeywordCxt) {
      const fits = context.gen.scopeValue('func', { ref: judgeBy(context.schema) });
      context.pass(_`${fits}(${context.data})`);
    },
  };
}

const constant = keywordOf('const', undefined, 'allowedValue', (allowed: JsonValue) => {
  const identity = jsonIdentity(allowed);
  return (value: JsonValue) => jsonIdentity(value) === identity;
});

const enumeration = keywordOf('enum', undefined, 'allowedValues', (allowed: readonly JsonValue[]) => {
  const identities = new Set(allowed.map(jsonIdentity));
  return (value: JsonValue) => identities.has(jsonIdentity(value));
});

const uniqueItems = keywordOf('uniqueItems', 'array', 'uniqueItems', (required: boolean) => {
  return (items: readonly JsonValue[]) => !required || new Set(items.map(jsonIdentity)).size === items.length;
});

const multipleOf = keywordOf('multipleOf', 'number', 'multipleOf', (factor: number) => {
  return (value: number) => isMultipleOf(value, factor);
});

const minLength = keywordOf('minLength', 'string', 'limit', (limit: number) => {
  return (text: string) => hasCharacters(text, limit);
});

const maxLength = keywordOf('maxLength', 'string', 'limit', (limit: number) => {
  return (text: string) => !hasCharacters(text, limit + 1);
});

/** Counts characters, not code units, and none where their number is plain without. */
function hasCharacters(text: string, wanted: number): boolean {
  if (text.length < wanted || text.length >= 2 * wanted) return text.length >= wanted;
  spendEffort(Math.floor(text.length / 20));
  let characters = 0;
  for (const _character of text) characters++;
  return characters >= wanted;
}

/** `unevaluatedProperties` and `unevaluatedItems`: what is not yet evaluated has to fit the schema. */
function unevaluated(keyword: string, type: 'object' | 'array', evaluation: Evaluation): CodeKeywordDefinition {
  const isObject = type === 'object';
  return {
    keyword,
    type,
    schemaType: ['boolean', 'object'],
    trackErrors: true,
    error: {
      message: keyword,
      params: ({ params }) => _`{unevaluated: ${params.unevaluated}}`,
    },
    code(context: KeywordCxt) {
      const { gen, data, schema, parentSchema, errsCount } = context;
      if (schema === true) return;
      const find = gen.scopeValue('func', { ref: (value: JsonValue) => evaluation(parentSchema, value) });
      const evaluated = gen.const('evaluated', _`${find}(${data})`);
      const judge = (member: Name) =>
        gen.if(_`!${evaluated}.has(${member})`, () => {
          if (schema === false) {
            context.setParams({ unevaluated: member });
            context.error();
          } else {
            const dataPropType = isObject ? KEY.name : KEY.index;
            context.subschema({ keyword, dataProp: member, dataPropType }, gen.name('valid'));
          }
        });
      if (isObject) gen.forIn('key', data, judge);
      else gen.forRange('index', 0, _`${data}.length`, judge);
      context.ok(_`${errsCount} === ${ERRORS}`);
    },
  };
}

/** The members of a value that are evaluated before the `unevaluated…` keyword of a schema, which is given as ajv has it. */
export type Evaluation = (schema: unknown, value: JsonValue) => ReadonlySet<string | number>;

/** What ajv calls its counter of errors in the code it writes, and its `Type`; it exports neither. */
const ERRORS = new Name('errors');
const KEY = { index: 0, name: 1 } as const;

export function useOwnKeywords(ajv: Ajv2020, evaluation: Evaluation): void {
  // Spares the record that ajv keeps for its own `unevaluated…` keywords, which are replaced here.
  ajv.opts.unevaluated = false;
  ajv.addKeyword(effort);
  const replacements = [
    constant,
    enumeration,
    uniqueItems,
    multipleOf,
    minLength,
    maxLength,
    unevaluated('unevaluatedProperties', 'object', evaluation),
    unevaluated('unevaluatedItems', 'array', evaluation),
  ];
  for (const definition of replacements) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
}
