import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import type { SchemaInspection } from '../../run/input-schema.js';
import { pointerTo } from '../../run/json-pointer.js';

/** One thing that can be chosen. Its token is the JSON of its value, so that `1` and `"1"` are two. */
export interface Option {
  readonly token: string;
  readonly value: JsonValue;
  readonly label: string;
}

/** What `oneOf` or `anyOf` is to a person. */
export type Alternatives =
  /** Only rules about what is asked elsewhere, such as which members go together: nothing to choose. */
  | { readonly kind: 'rules' }
  /** Each is one value. */
  | { readonly kind: 'constants'; readonly options: readonly Option[]; readonly nullable: boolean }
  /** One alternative beside `null`. */
  | { readonly kind: 'one_or_none'; readonly branch: string; readonly nullable: boolean }
  | {
      readonly kind: 'fork';
      readonly branches: readonly { readonly pointer: string; readonly label: string | null }[];
      readonly discriminators: readonly { readonly member: string; readonly values: readonly JsonValue[] }[];
      readonly nullable: boolean;
    };

/** Words of a schema that put something on the page. */
const ASKING = ['type', 'properties', 'items', 'prefixItems', 'const', 'enum', 'oneOf', 'anyOf', 'format', '$ref'];

/** @param branches pointers of the alternatives */
export function alternativesOf(inspection: SchemaInspection, branches: readonly string[]): Alternatives {
  const heads = branches.map((pointer) => ({ pointer, schema: headOf(inspection, pointer) }));
  if (heads.every(({ schema }) => !ASKING.some((keyword) => keyword in schema))) return { kind: 'rules' };
  const others = heads.filter(({ schema }) => !isNull(schema));
  const nullable = others.length < heads.length;
  const [only] = others;
  const options = others.flatMap(({ schema }) => optionOf(schema));
  if (options.length > 0 && options.length === others.length) return { kind: 'constants', options, nullable };
  if (only !== undefined && others.length === 1) return { kind: 'one_or_none', branch: only.pointer, nullable };
  const discriminators = discriminatorsOf(inspection, others);
  const named = discriminators[0]?.values;
  return {
    kind: 'fork',
    branches: others.map(({ pointer, schema }, index) => ({
      pointer,
      label: textOf(schema.title) ?? textOf(named?.[index]) ?? textOf(schema.description) ?? null,
    })),
    discriminators,
    nullable,
  };
}

/** The alternative with what it refers to, what stands beside the reference winning. */
function headOf(inspection: SchemaInspection, pointer: string): JsonObject {
  const own = inspection.schemaAt(pointer);
  if (!isJsonObject(own)) return {};
  if (typeof own.$ref !== 'string') return own;
  const { $ref, ...beside } = own;
  return { ...headOf(inspection, inspection.targetOf(own.$ref)), ...beside };
}

function isNull(schema: JsonObject): boolean {
  return schema.type === 'null' || schema.const === null;
}

function optionOf(schema: JsonObject): Option[] {
  const value = constantOf(schema);
  return value === undefined || typeof value === 'object' ? [] : [option(value, textOf(schema.title))];
}

/** The only value that a schema lets through; undefined where there are others. */
function constantOf(schema: JsonObject): JsonValue | undefined {
  if (schema.const !== undefined) return schema.const;
  return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined;
}

export function option(value: JsonValue, label?: string): Option {
  const token = JSON.stringify(value);
  return { token, value, label: label ?? (typeof value === 'string' ? value : token) };
}

/** Members that have another constant in each alternative: choosing one says what they are. */
function discriminatorsOf(
  inspection: SchemaInspection,
  heads: readonly { readonly pointer: string; readonly schema: JsonObject }[],
): readonly { readonly member: string; readonly values: readonly JsonValue[] }[] {
  const [first] = heads;
  if (!isJsonObject(first?.schema.properties)) return [];
  return Object.keys(first.schema.properties).flatMap((member) => {
    const values = heads.flatMap(({ schema }) => {
      const properties = schema.properties;
      const declared = isJsonObject(properties) && Object.hasOwn(properties, member) ? properties[member] : undefined;
      const value = isJsonObject(declared) ? constantOf(resolved(inspection, declared)) : undefined;
      return value === undefined || typeof value === 'object' ? [] : [value];
    });
    const isDiscriminator = values.length === heads.length && new Set(values).size === heads.length;
    return isDiscriminator ? [{ member, values }] : [];
  });
}

function resolved(inspection: SchemaInspection, schema: JsonObject): JsonObject {
  return typeof schema.$ref === 'string' ? headOf(inspection, inspection.targetOf(schema.$ref)) : schema;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Pointers of the members that a part declares, by name. */
export function declaredMembers(pointer: string, schema: JsonObject): [string, string][] {
  if (!isJsonObject(schema.properties)) return [];
  const at = pointerTo(pointer, 'properties');
  return Object.keys(schema.properties).map((name) => [name, pointerTo(at, name)]);
}
