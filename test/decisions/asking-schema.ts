import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { isUsableInputSchema } from '../../src/run/input-schema.js';
import type { SchemaFault } from '../../src/run/schema/schema-reading.js';

/** An input schema whose one property has this schema. */
export function asking(property: JsonValue, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { v: property }, ...rest };
}

/** Why this schema is refused. */
export function refusal(schema: JsonValue): SchemaFault {
  const usability = isUsableInputSchema(schema);
  if (usability.usable) throw new Error('expected a refusal');
  return usability.fault;
}
