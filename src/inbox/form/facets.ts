import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { pointerTo } from '../../run/json-pointer.js';
import { declaredMembers, type Option, option } from './alternatives.js';
import type { PlaceReading } from './schema-place.js';

export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** What all the schemas of a place say together, as far as a form can show it. */
export interface Facets {
  readonly title: string | null;
  readonly description: string | null;
  readonly examples: readonly string[];
  readonly preset: JsonValue | undefined;
  readonly readOnly: boolean;
  /** Without `null`; empty where nothing says what it is. */
  readonly types: readonly FieldType[];
  readonly nullable: boolean;
  readonly constant: JsonValue | undefined;
  readonly options: readonly Option[] | null;
  readonly format: string | null;
  readonly longestText: number | null;
  /** Pointers of the schemas of each declared member. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly string[];
  /** Pointers by position. */
  readonly positions: readonly (readonly string[])[];
  readonly fewestItems: number;
  readonly mostItems: number | null;
  readonly uniqueItems: boolean;
  /** Members of any name are welcome, which only JSON can show. */
  readonly openEnded: boolean;
}

/** @param value what stands at the place by now: some members are required only beside others */
export function facetsOf({ parts, options, nullable }: PlaceReading, value: JsonValue | undefined): Facets {
  const schemas = parts.map(({ schema }) => schema);
  const first = <Kind extends JsonValue>(keyword: string, is: (found: unknown) => found is Kind): Kind | null =>
    schemas.map((schema) => schema[keyword]).find(is) ?? null;
  const declared = declaredTypes(schemas);
  const choices = enumOptions(schemas) ?? options;
  const constant = schemas.map((schema) => schema.const).find((found) => found !== undefined);
  return {
    title: first('title', isText),
    description: first('description', isText),
    examples: (first('examples', Array.isArray as unknown as (found: unknown) => found is JsonValue[]) ?? []).flatMap(
      (one) => (isText(one) ? [one] : []),
    ),
    preset: schemas.map((schema) => schema.default).find((found) => found !== undefined),
    readOnly: schemas.some((schema) => schema.readOnly === true),
    types: (declared ?? impliedTypes(schemas)).filter((type) => type !== 'null'),
    nullable: nullable || declared?.includes('null') === true || choices?.some((one) => one.value === null) === true,
    constant,
    options: choices?.filter((one) => one.value !== null) ?? null,
    format: first('format', isText),
    longestText: smallest(schemas, 'maxLength'),
    members: membersOf(parts),
    required: requiredMembers(schemas, value),
    items: parts.flatMap(({ pointer, schema }) => (isJsonObject(schema.items) ? [pointerTo(pointer, 'items')] : [])),
    positions: positionsOf(parts),
    fewestItems: Math.max(0, ...schemas.map((schema) => numberOr(schema.minItems, 0))),
    mostItems: smallest(schemas, 'maxItems'),
    uniqueItems: schemas.some((schema) => schema.uniqueItems === true),
    openEnded: schemas.some(
      (schema) => isJsonObject(schema.patternProperties) || isJsonObject(schema.additionalProperties),
    ),
  };
}

function isText(found: unknown): found is string {
  return typeof found === 'string' && found !== '';
}

function numberOr(found: JsonValue | undefined, otherwise: number): number {
  return typeof found === 'number' ? found : otherwise;
}

function smallest(schemas: readonly JsonObject[], keyword: string): number | null {
  const found = schemas.flatMap((schema) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : []));
  return found.length === 0 ? null : Math.min(...found);
}

/** The types that every schema with a word on it admits; null where none has. */
function declaredTypes(schemas: readonly JsonObject[]): FieldType[] | null {
  let common: FieldType[] | null = null;
  for (const { type } of schemas) {
    if (type === undefined) continue;
    const own = (Array.isArray(type) ? type : [type]) as FieldType[];
    common = common === null ? own : narrowed(common, own);
  }
  return common;
}

function narrowed(one: readonly FieldType[], other: readonly FieldType[]): FieldType[] {
  return [...new Set([...one, ...other])].filter((type) => admits(one, type) && admits(other, type));
}

/** Whole numbers are numbers. */
function admits(types: readonly FieldType[], type: FieldType): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

const WORDS_OF_TYPE: readonly (readonly [FieldType, readonly string[]])[] = [
  ['object', ['properties', 'required', 'dependentRequired', 'additionalProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['format', 'pattern', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** Where no type is named, the other words tell which one the author had in mind. */
function impliedTypes(schemas: readonly JsonObject[]): FieldType[] {
  const found = WORDS_OF_TYPE.filter(([, words]) => schemas.some((schema) => words.some((word) => word in schema)));
  return found.map(([type]) => type);
}

/** Options that every `enum` of the place has, in the order of the first. */
function enumOptions(schemas: readonly JsonObject[]): readonly Option[] | null {
  const lists = schemas.flatMap((schema) => (Array.isArray(schema.enum) ? [schema] : []));
  const [first, ...others] = lists;
  if (first === undefined) return null;
  const names = Array.isArray(first.enumNames) ? first.enumNames : [];
  return (first.enum as readonly JsonValue[])
    .map((value, index) => option(value, isText(names[index]) ? names[index] : undefined))
    .filter(({ token }) =>
      others.every((schema) => (schema.enum as readonly JsonValue[]).some((value) => JSON.stringify(value) === token)),
    );
}

function membersOf(parts: PlaceReading['parts']): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  for (const { pointer, schema } of parts) {
    for (const [name, at] of declaredMembers(pointer, schema)) members.set(name, [...(members.get(name) ?? []), at]);
  }
  return members;
}

function requiredMembers(schemas: readonly JsonObject[], value: JsonValue | undefined): ReadonlySet<string> {
  const names = schemas.flatMap((schema) => [
    ...texts(schema.required),
    ...dependents(schema.dependentRequired, value),
  ]);
  return new Set(names);
}

function dependents(rule: JsonValue | undefined, value: JsonValue | undefined): string[] {
  if (!isJsonObject(rule) || !isJsonObject(value)) return [];
  return Object.entries(rule).flatMap(([member, names]) => (Object.hasOwn(value, member) ? texts(names) : []));
}

function texts(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

function positionsOf(parts: PlaceReading['parts']): readonly (readonly string[])[] {
  const positions: string[][] = [];
  for (const { pointer, schema } of parts) {
    if (!Array.isArray(schema.prefixItems)) continue;
    for (const index of schema.prefixItems.keys()) {
      const at = pointerTo(pointerTo(pointer, 'prefixItems'), index);
      positions[index] = [...(positions[index] ?? []), at];
    }
  }
  return positions;
}
