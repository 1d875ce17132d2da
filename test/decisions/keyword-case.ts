import type { JsonObject, JsonValue } from '../../src/events/json.js';

/** What a schema means: values that it lets through, and values that it does not. */
export interface KeywordCase {
  readonly schema: JsonObject | boolean;
  /** `$defs` at the root of the schema around it. */
  readonly defs?: JsonObject;
  readonly valid?: readonly JsonValue[];
  readonly invalid?: readonly JsonValue[];
}
