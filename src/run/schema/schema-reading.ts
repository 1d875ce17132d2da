import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { pointerTo } from '../json-pointer.js';
import { refusalOfValue } from './schema-keyword-values.js';
import { ADMITTED_KEYWORDS, type AdmittedKeyword, isAnnotation, refusalOfKeyword } from './schema-keywords.js';

/** Why a schema cannot be used: the keyword, where it stands, and a sentence for the author. */
export interface SchemaFault {
  readonly keyword: string;
  readonly pointer: string;
  readonly message: string;
}

export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
  constructor(readonly fault: SchemaFault) {
    super(`${fault.keyword} ${fault.message}`);
  }
}

export type Subschema = JsonObject | boolean;

/** A schema in which every keyword is known, every value of one has its shape, and every reference its target. */
export interface SchemaReading {
  /** Every schema inside, the root (`''`) included, by its JSON pointer. Nothing else is a schema, whatever it looks like. */
  readonly subschemas: ReadonlyMap<string, Subschema>;
  /** Where a `$ref` of this schema leads. */
  targetOf(reference: string): string;
}

/** A schema inside another one, and the keyword that put it there. */
export interface ChildSchema {
  readonly pointer: string;
  readonly schema: Subschema;
  readonly keyword: string;
  readonly inPlace: boolean;
}

/** The schemas directly inside a schema; not those that it refers to. */
export function childSchemas(schema: Subschema, pointer: string): readonly ChildSchema[] {
  if (typeof schema === 'boolean') return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const admitted = ADMITTED_KEYWORDS.get(keyword);
    if (admitted === undefined) return [];
    const inPlace = admitted.inPlace === true;
    return schemasInside(admitted, value, pointerTo(pointer, keyword)).map(([at, child]) => {
      return { pointer: at, schema: child as Subschema, keyword, inPlace };
    });
  });
}

function schemasInside({ value: kind }: AdmittedKeyword, value: JsonValue, at: string): [string, JsonValue][] {
  switch (kind) {
    case 'schema':
      return [[at, value]];
    case 'schemas':
      return (value as readonly JsonValue[]).map((member, index) => [pointerTo(at, index), member]);
    case 'schemas_by_name':
    case 'schemas_by_pattern':
      return Object.entries(value as JsonObject).map(([name, member]) => [pointerTo(at, name), member]);
    default:
      return [];
  }
}

/**
 * Reads a schema whose depth is bounded. Keywords are looked for only where schemas are: a value in `const`, `enum` or `default` may hold
 * any name.
 *
 * @throws {SchemaRefused} at the first fault
 */
export function readSchema(root: JsonValue): SchemaReading {
  const subschemas = new Map<string, Subschema>();
  const anchors = new Map<string, string>();
  readSubschema(root, '', '', subschemas, anchors);
  const targetOf = (reference: string) => targetPointer(reference, anchors);
  for (const [pointer, schema] of subschemas) {
    const reference = typeof schema === 'boolean' ? undefined : schema.$ref;
    if (typeof reference !== 'string' || subschemas.has(targetOf(reference))) continue;
    throw refused('$ref', pointerTo(pointer, '$ref'), 'leads to no schema in this document');
  }
  return { subschemas, targetOf };
}

function readSubschema(
  schema: JsonValue,
  pointer: string,
  keyword: string,
  subschemas: Map<string, Subschema>,
  anchors: Map<string, string>,
): void {
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
    throw refused(keyword, pointer, schemaExpected(keyword, schema));
  }
  subschemas.set(pointer, schema);
  if (typeof schema === 'boolean') return;
  for (const [name, value] of Object.entries(schema)) {
    readKeyword(name, value, pointer);
    if (name !== '$anchor') continue;
    if (anchors.has(value as string))
      throw refused(name, pointerTo(pointer, name), 'names a second place in this document');
    anchors.set(value as string, pointer);
  }
  for (const child of childSchemas(schema, pointer)) {
    readSubschema(child.schema, child.pointer, child.keyword, subschemas, anchors);
  }
}

function readKeyword(keyword: string, value: JsonValue, pointer: string): void {
  const at = pointerTo(pointer, keyword);
  if (isAnnotation(keyword)) return;
  if (keyword === '$schema') {
    if (value === DIALECT || value === `${DIALECT}#`) return;
    throw refused(keyword, at, `must be "${DIALECT}", the only dialect here, or be left out`);
  }
  if (keyword === '$id') {
    // At the root it is a name and no more: references are local, so it changes none of them.
    if (pointer === '' && typeof value === 'string') return;
    throw refused(keyword, at, 'is a text at the root only: inside, write "$anchor", or name the place by "#/…"');
  }
  const admitted = ADMITTED_KEYWORDS.get(keyword);
  const message = admitted === undefined ? refusalOfKeyword(keyword) : refusalOfValue(keyword, admitted.value, value);
  if (message !== undefined) throw refused(keyword, at, message);
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

function schemaExpected(keyword: string, found: JsonValue): string {
  if (keyword === 'items' && Array.isArray(found)) {
    return 'takes one schema for all items: write "prefixItems" for a schema per position';
  }
  return 'a schema must be an object, true or false';
}

/** A pointer or an anchor behind `#`, percent-encoded as in a URI. The reference has been checked for its shape. */
function targetPointer(reference: string, anchors: ReadonlyMap<string, string>): string {
  const fragment = decodeURIComponent(reference.slice(1));
  if (fragment === '' || fragment.startsWith('/')) return fragment;
  return anchors.get(fragment) ?? 'no such anchor';
}

function refused(keyword: string, pointer: string, message: string): SchemaRefused {
  return new SchemaRefused({ keyword, pointer, message });
}
