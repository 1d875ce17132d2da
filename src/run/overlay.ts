import type { JsonObject, JsonValue } from '../events/json.js';
import { isJsonObject } from '../events/json.js';
import { type AnswerValidity, declaredKeys, validateAnswer } from './input-schema.js';

export { declaredKeys } from './input-schema.js';

/** What executes after a person has answered a call. */
export interface Overlay {
  readonly arguments: JsonObject;
  /** What the person sent that the schema does not declare, in the person's order; nothing of it is used. */
  readonly ignoredKeys: readonly string[];
}

/**
 * Lays a person's answer over the arguments of the model's call (INP-6). For the keys that the schema declares the person alone
 * decides, also by leaving one out; for all others the model alone does. Values are carried over as they are.
 */
export function overlay(modelArguments: JsonObject, schema: JsonObject, answer: JsonObject): Overlay {
  const declared = declaredKeys(schema);
  const ofModel = Object.entries(modelArguments).filter(([key]) => !declared.has(key));
  const ofPerson = Object.entries(answer).filter(([key]) => declared.has(key));
  return {
    // `fromEntries` defines members, so that no name is anything but a name.
    arguments: Object.fromEntries([...ofModel, ...ofPerson]),
    ignoredKeys: Object.keys(answer).filter((key) => !declared.has(key)),
  };
}

/**
 * Whether an answer can be accepted (INP-6): valid as it was posted, and valid still when the keys that the schema does not declare are
 * dropped, for that is what the tool gets.
 */
export function checkAnswer(schema: JsonObject, answer: JsonValue): AnswerValidity {
  const asPosted = validateAnswer(schema, answer);
  if (!asPosted.valid || !isJsonObject(answer)) return asPosted;
  const declared = declaredKeys(schema);
  const kept = Object.entries(answer).filter(([key]) => declared.has(key));
  return kept.length === Object.keys(answer).length ? asPosted : validateAnswer(schema, Object.fromEntries(kept));
}
