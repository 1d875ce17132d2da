/**
 * The keywords of an input schema (INP-5): what is admitted and what its value looks like, what is an annotation, and what to
 * write in place of words that other dialects have. Everything else is an assertion that nobody here understands, and refused.
 */

/** What the value of a keyword looks like; the reading of a schema knows how to check each, and where schemas are inside. */
export type KeywordValue =
  | 'schema'
  | 'schemas'
  | 'schemas_by_name'
  | 'schemas_by_pattern'
  | 'reference'
  | 'anchor'
  | 'type_names'
  | 'count'
  | 'number'
  | 'positive_number'
  | 'boolean'
  | 'names'
  | 'names_by_name'
  | 'pattern'
  | 'text'
  | 'values'
  | 'value';

export interface AdmittedKeyword {
  readonly value: KeywordValue;
  /** Set where the schemas inside judge the very value that the schema around them judges, not a part of it. */
  readonly inPlace?: true;
}

export const ADMITTED_KEYWORDS: ReadonlyMap<string, AdmittedKeyword> = new Map<string, AdmittedKeyword>([
  ['$ref', { value: 'reference', inPlace: true }],
  ['$anchor', { value: 'anchor' }],
  ['$defs', { value: 'schemas_by_name' }],

  ['allOf', { value: 'schemas', inPlace: true }],
  ['anyOf', { value: 'schemas', inPlace: true }],
  ['oneOf', { value: 'schemas', inPlace: true }],
  ['not', { value: 'schema', inPlace: true }],
  ['if', { value: 'schema', inPlace: true }],
  ['then', { value: 'schema', inPlace: true }],
  ['else', { value: 'schema', inPlace: true }],
  ['dependentSchemas', { value: 'schemas_by_name', inPlace: true }],

  ['properties', { value: 'schemas_by_name' }],
  ['patternProperties', { value: 'schemas_by_pattern' }],
  ['additionalProperties', { value: 'schema' }],
  ['unevaluatedProperties', { value: 'schema' }],
  ['propertyNames', { value: 'schema' }],
  ['prefixItems', { value: 'schemas' }],
  ['items', { value: 'schema' }],
  ['contains', { value: 'schema' }],
  ['unevaluatedItems', { value: 'schema' }],

  ['type', { value: 'type_names' }],
  ['enum', { value: 'values' }],
  ['const', { value: 'value' }],
  ['multipleOf', { value: 'positive_number' }],
  ['maximum', { value: 'number' }],
  ['exclusiveMaximum', { value: 'number' }],
  ['minimum', { value: 'number' }],
  ['exclusiveMinimum', { value: 'number' }],
  ['maxLength', { value: 'count' }],
  ['minLength', { value: 'count' }],
  ['pattern', { value: 'pattern' }],
  ['format', { value: 'text' }],
  ['maxItems', { value: 'count' }],
  ['minItems', { value: 'count' }],
  ['uniqueItems', { value: 'boolean' }],
  ['maxContains', { value: 'count' }],
  ['minContains', { value: 'count' }],
  ['maxProperties', { value: 'count' }],
  ['minProperties', { value: 'count' }],
  ['required', { value: 'names' }],
  ['dependentRequired', { value: 'names_by_name' }],
]);

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'title',
  'description',
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
]);

/** Kept in the schema, and without any say in what is valid: no value of theirs is looked at. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith('x-');
}

/** What to write in place of a word that means something elsewhere; completes the sentence "…: ". */
const WRITE_INSTEAD: ReadonlyMap<string, string> = new Map([
  ['nullable', 'write "type": ["string", "null"] (with your type), or add null to "enum"'],
  ['dependencies', 'write "dependentRequired" for names and "dependentSchemas" for schemas'],
  ['definitions', 'write "$defs", and "#/$defs/…" in "$ref"'],
  ['id', 'write "$anchor" for a place that "$ref" names, or "$id" at the root of the schema'],
  ['divisibleBy', 'write "multipleOf"'],
  ['additionalItems', 'write "prefixItems" for the first items and "items" for those after them'],
  ['disallow', 'write "not"'],
  ['extends', 'write "allOf" with a "$ref"'],
  ['optional', 'leave the name out of "required"'],
  ['$recursiveRef', 'write "$ref": "#"'],
  ['$recursiveAnchor', 'write "$anchor", or "$ref": "#"'],
  ['$dynamicRef', 'write "$ref": which schema is meant must be plain from the schema itself'],
  ['$dynamicAnchor', 'write "$anchor"'],
  ['$vocabulary', 'leave it out: it belongs into meta-schemas'],
  ['discriminator', 'write "oneOf" whose branches tell themselves apart by a property with "const"'],
  ['xml', 'leave it out, or write "x-xml"'],
  ['externalDocs', 'leave it out, or write "x-externalDocs"'],
  ['optionalProperties', 'write "properties", and leave the names out of "required"'],
  ['elements', 'write "items"'],
  ['values', 'write "additionalProperties" with a schema'],
  ['ref', 'write "$ref"'],
  ['$data', 'state the limit as a constant, and let the tool check what depends on another value'],
  ['formatMinimum', 'let the tool check it: formats have no order here'],
  ['formatMaximum', 'let the tool check it: formats have no order here'],
  ['formatExclusiveMinimum', 'let the tool check it: formats have no order here'],
  ['formatExclusiveMaximum', 'let the tool check it: formats have no order here'],
  ['regexp', 'write "pattern"'],
  ['typeof', 'write "type"'],
  ['instanceof', 'write "type"'],
  ['errorMessage', 'write it into "description", or write "x-errorMessage"'],
]);

/** Why a keyword outside the lists above is refused, as a sentence for the author of the schema. */
export function refusalOfKeyword(keyword: string): string {
  const instead = WRITE_INSTEAD.get(keyword);
  return instead === undefined
    ? 'is no keyword of JSON Schema 2020-12 that is understood here; a hint for people or programs begins with "x-"'
    : `is not admitted: ${instead}`;
}
