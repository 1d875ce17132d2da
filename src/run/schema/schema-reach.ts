import { isJsonObject } from '../../events/json.js';
import { pointerTo } from '../json-pointer.js';
import { childSchemas, type SchemaFault, type SchemaReading } from './schema-reading.js';

/**
 * What a schema says about the very value that it judges, wherever it says so: in itself, behind `$ref`, or in a branch.
 */

/**
 * The names that a schema declares (INP-6): all in `properties` at its root, behind local `$ref`, and in every branch of `allOf`,
 * `anyOf`, `oneOf`, `if`/`then`/`else` and `dependentSchemas`, whichever applies to a value. What `not` mentions is not declared.
 */
export function declaredNames(reading: SchemaReading): ReadonlySet<string> {
  const names = new Set<string>();
  const reached = new Set(['']);
  for (const pointer of reached) {
    const schema = reading.subschemas.get(pointer);
    if (!isJsonObject(schema)) continue;
    if (isJsonObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
    for (const step of stepsInPlace(reading, pointer)) {
      if (step.keyword !== 'not') reached.add(step.pointer);
    }
  }
  return names;
}

/**
 * Whether nothing but an object can be valid, as far as `type` says so at the root, behind `$ref`, or in branches. Asked of schemas without
 * an endless loop only.
 */
export function admitsOnlyObjects(reading: SchemaReading): boolean {
  const known = new Map<string, boolean>();
  const judge = (pointer: string): boolean => {
    const answer = known.get(pointer) ?? saysObject(reading, pointer, judge);
    known.set(pointer, answer);
    return answer;
  };
  return judge('');
}

function saysObject(reading: SchemaReading, pointer: string, judge: (pointer: string) => boolean): boolean {
  const schema = reading.subschemas.get(pointer);
  if (!isJsonObject(schema)) return false;
  if (schema.type === 'object' || (Array.isArray(schema.type) && schema.type.join() === 'object')) return true;
  const steps = stepsInPlace(reading, pointer);
  const branches = (keyword: string) => steps.filter((step) => step.keyword === keyword);
  return (
    [...branches('$ref'), ...branches('allOf')].some((step) => judge(step.pointer)) ||
    [branches('anyOf'), branches('oneOf')].some((all) => all.length > 0 && all.every((step) => judge(step.pointer)))
  );
}

/**
 * Finds a schema that comes back to itself without going into a part of the value, such as `{"$ref": "#"}` at the root: no check of a value
 * against it would ever end.
 */
export function findEndlessLoop(reading: SchemaReading): SchemaFault | undefined {
  const finished = new Set<string>();
  for (const start of reading.subschemas.keys()) {
    const open = new Set<string>();
    const path: { readonly pointer: string; readonly steps: Step[] }[] = [];
    const enter = (pointer: string) => {
      open.add(pointer);
      path.push({ pointer, steps: [...stepsInPlace(reading, pointer)] });
    };
    if (!finished.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const step = last.steps.pop();
      if (step === undefined) {
        path.pop();
        open.delete(last.pointer);
        finished.add(last.pointer);
      } else if (open.has(step.pointer)) {
        const message = 'leads back to the same schema for the same value, so that a check would never end';
        return { keyword: step.keyword, pointer: pointerTo(last.pointer, step.keyword), message };
      } else if (!finished.has(step.pointer)) {
        enter(step.pointer);
      }
    }
  }
  return undefined;
}

interface Step {
  readonly keyword: string;
  readonly pointer: string;
}

/** The schemas that judge the same value as the one at `pointer`, one step away. */
function stepsInPlace(reading: SchemaReading, pointer: string): readonly Step[] {
  const schema = reading.subschemas.get(pointer);
  if (schema === undefined || typeof schema === 'boolean') return [];
  const inside = childSchemas(schema, pointer).filter((child) => child.inPlace);
  return typeof schema.$ref === 'string'
    ? [...inside, { keyword: '$ref', pointer: reading.targetOf(schema.$ref) }]
    : inside;
}
