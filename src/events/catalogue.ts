import type { JsonObject } from './json.js';

/** A JSON Schema (2020-12) of ours. */
export type Schema = Readonly<Record<string, unknown>>;

/** Brings data (or opened content) of one schema version to the next. Pure, total over everything ever written. */
export type Upcaster = (older: JsonObject) => JsonObject;

/** What the codec has to know of one event type. */
export interface EventDeclaration {
  /** The version that is written today; older ones are read through `upcasters`. */
  readonly schemaVersion: number;
  readonly data: Schema;
  /** Which key of the stream seals the content; absent for an event without content. */
  readonly sealedWith?: 'working' | 'outcome';
  /** Schema of the opened content; present exactly where `sealedWith` is. */
  readonly content?: Schema;
  /** `upcasters[n]` brings version n to n + 1. Those of content run after opening. */
  readonly upcasters?: { readonly [fromVersion: number]: { readonly data?: Upcaster; readonly content?: Upcaster } };
}

/** The explicit table from an event's name to its declaration. */
export type EventCatalogue = { readonly [type: string]: EventDeclaration };
