/** A value that survives `JSON.stringify` and `JSON.parse` unchanged (RFC 8259, read as I-JSON, RFC 7493). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** An object in the JSON sense: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
