import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { pointerTo } from '../json-pointer.js';
import { spendEffort } from './check-effort.js';
import { compileLinearPattern, type LinearPattern } from './linear-pattern.js';
import { childSchemas, type SchemaReading } from './schema-reading.js';

/** The names of an object or the indices of a list. */
type Member = string | number;

/**
 * Which members of a value a schema has judged, in itself or in what applies to the same value; the others are "unevaluated".
 *
 * ajv keeps such a record too, but it survives from one item of a list to the next, so that what the first item has had judged passes
 * unjudged in the second.
 */
export class EvaluatedMembers {
  private readonly patterns = new Map<string, LinearPattern>();

  constructor(
    private readonly reading: SchemaReading,
    /** Whether a value is valid against the schema at a pointer. */
    private readonly fits: (pointer: string, value: JsonValue) => boolean,
  ) {}

  /** The members that the schema at `pointer` has judged before its own `unevaluatedProperties` or `unevaluatedItems`. */
  beforeUnevaluated(pointer: string, value: JsonValue): ReadonlySet<Member> {
    const evaluated = new Set<Member>();
    this.collect(pointer, value, evaluated, false);
    return evaluated;
  }

  private collect(pointer: string, value: JsonValue, evaluated: Set<Member>, includingUnevaluated: boolean): void {
    const schema = this.reading.subschemas.get(pointer);
    if (!isJsonObject(schema)) return;
    spendEffort(1);
    if (Array.isArray(value)) this.collectItems(schema, pointer, value, evaluated, includingUnevaluated);
    if (isJsonObject(value)) this.collectNames(schema, value, evaluated, includingUnevaluated);
    for (const applied of this.appliedInPlace(schema, pointer, value)) this.collect(applied, value, evaluated, true);
  }

  private collectNames(
    schema: JsonObject,
    value: JsonObject,
    evaluated: Set<Member>,
    includingUnevaluated: boolean,
  ): void {
    const all = 'additionalProperties' in schema || (includingUnevaluated && 'unevaluatedProperties' in schema);
    const declared = isJsonObject(schema.properties) ? schema.properties : {};
    const patterns = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    for (const name of Object.keys(value)) {
      spendEffort(1);
      if (all || Object.hasOwn(declared, name) || patterns.some((source) => this.pattern(source).test(name))) {
        evaluated.add(name);
      }
    }
  }

  private collectItems(
    schema: JsonObject,
    pointer: string,
    value: readonly JsonValue[],
    evaluated: Set<Member>,
    includingUnevaluated: boolean,
  ): void {
    const all = 'items' in schema || (includingUnevaluated && 'unevaluatedItems' in schema);
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
    value.forEach((item, index) => {
      spendEffort(1);
      if (all || index < first || ('contains' in schema && this.fits(pointerTo(pointer, 'contains'), item))) {
        evaluated.add(index);
      }
    });
  }

  /** The schemas that hold for the same value, given that the schema around them does. */
  private appliedInPlace(schema: JsonObject, pointer: string, value: JsonValue): readonly string[] {
    const children = childSchemas(schema, pointer);
    const at = (keyword: string) => children.filter((child) => child.keyword === keyword).map((child) => child.pointer);
    const fitting = (pointers: readonly string[]) => pointers.filter((child) => this.fits(child, value));
    const condition = at('if');
    const met = fitting(condition);
    const consequence = condition.length === 0 ? [] : at(met.length > 0 ? 'then' : 'else');
    const present = children.filter(
      (child) =>
        child.keyword === 'dependentSchemas' &&
        isJsonObject(value) &&
        Object.keys(value).some((name) => child.pointer === pointerTo(pointerTo(pointer, 'dependentSchemas'), name)),
    );
    return [
      ...(typeof schema.$ref === 'string' ? [this.reading.targetOf(schema.$ref)] : []),
      ...at('allOf'),
      ...fitting([...at('anyOf'), ...at('oneOf')]),
      ...met,
      ...consequence,
      ...present.map((child) => child.pointer),
    ];
  }

  private pattern(source: string): LinearPattern {
    const pattern = this.patterns.get(source) ?? compileLinearPattern(source);
    this.patterns.set(source, pattern);
    return pattern;
  }
}
