import type { Schema } from './catalogue.js';

/** The schema of a closed object: each named member, all of them required but the optional ones, and no other. */
export function record(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}
