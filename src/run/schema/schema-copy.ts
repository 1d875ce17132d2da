import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { pointerTo } from '../json-pointer.js';
import { ADMITTED_KEYWORDS } from './schema-keywords.js';
import type { SchemaReading, Subschema } from './schema-reading.js';
import { EFFORT } from './schema-vocabulary.js';
import { CHECKED_FORMATS } from './value-formats.js';

/**
 * A schema as ajv is to compile it: without annotations and unknown formats, with the effort of entering it in each schema, and with
 * every reference leading to an entry of its own. So ajv resolves no pointers, anchors and ids of ours, in which it takes some names for
 * keywords and some for members of every object.
 */
export class SchemaCopy {
  private readonly pointers = new WeakMap<object, string>();
  private readonly entries = new Map<string, string>();
  private readonly definitions: Readonly<Record<string, JsonValue>>;

  constructor(private readonly reading: SchemaReading) {
    for (const schema of reading.subschemas.values()) {
      if (isJsonObject(schema) && typeof schema.$ref === 'string') this.entryOf(reading.targetOf(schema.$ref));
    }
    this.definitions = Object.fromEntries([...this.entries].map(([pointer, entry]) => [entry, this.copyAt(pointer)]));
  }

  /** A whole schema that judges as the one at `pointer` does. */
  documentFor(pointer: string): JsonObject {
    const entry = this.entries.get(pointer);
    if (entry !== undefined) return { $ref: `#/$defs/${entry}`, $defs: this.definitions };
    return { $ref: '#/$defs/start', $defs: { ...this.definitions, start: this.copyAt(pointer) } };
  }

  /** Where the schema is of which this is the copy. */
  pointerOf(copy: unknown): string | undefined {
    return typeof copy === 'object' && copy !== null ? this.pointers.get(copy) : undefined;
  }

  private entryOf(pointer: string): string {
    const entry = this.entries.get(pointer) ?? `entry${this.entries.size}`;
    this.entries.set(pointer, entry);
    return entry;
  }

  private copyAt(pointer: string): JsonValue {
    return this.copyOf(this.reading.subschemas.get(pointer) ?? false, pointer);
  }

  private copyOf(schema: Subschema, pointer: string): JsonValue {
    if (typeof schema === 'boolean') return schema;
    const members = Object.entries(schema).flatMap(([keyword, value]) => this.memberOf(keyword, value, pointer));
    const copy = members.length === 0 ? {} : { [EFFORT]: effortOf(members), ...Object.fromEntries(members) };
    this.pointers.set(copy, pointer);
    return copy;
  }

  private memberOf(keyword: string, value: JsonValue, pointer: string): [string, JsonValue][] {
    const at = pointerTo(pointer, keyword);
    switch (ADMITTED_KEYWORDS.get(keyword)?.value) {
      case undefined:
      case 'anchor':
        return [];
      case 'reference':
        return [[keyword, `#/$defs/${this.entryOf(this.reading.targetOf(value as string))}`]];
      case 'schema':
        return [[keyword, this.copyOf(value as Subschema, at)]];
      case 'schemas':
        return [
          [keyword, (value as readonly Subschema[]).map((member, index) => this.copyOf(member, pointerTo(at, index)))],
        ];
      case 'schemas_by_name':
      case 'schemas_by_pattern':
        return keyword === '$defs' ? [] : [[keyword, this.copyByName(value as JsonObject, at)]];
      case 'text':
        return CHECKED_FORMATS.has(value as string) ? [[keyword, value]] : [];
      default:
        return [[keyword, value]];
    }
  }

  private copyByName(schemas: JsonObject, at: string): JsonObject {
    const copies = Object.entries(schemas).map(([name, schema]) => [
      name,
      this.copyOf(schema as Subschema, pointerTo(at, name)),
    ]);
    return Object.fromEntries(copies);
  }
}

/** One for the schema, one for each keyword, and one for each name that a keyword can find a fault with. */
function effortOf(members: readonly [string, JsonValue][]): number {
  const names = members.map(([, value]) => {
    if (Array.isArray(value)) return value.length;
    return isJsonObject(value)
      ? Object.values(value).reduce<number>((sum, each) => sum + 1 + (Array.isArray(each) ? each.length : 0), 0)
      : 0;
  });
  return 1 + members.length + names.reduce((sum, each) => sum + each, 0);
}
