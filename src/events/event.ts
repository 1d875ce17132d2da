import type { JsonObject } from './json.js';

/**
 * Shapes shared by every event.
 *
 * An event has clear fields, by which decisions are made, and at most one member of content, which only the codec
 * seals and opens (SEA-1). Folding, deciding and projecting never see content.
 */

/** Declares one event type: its name, its clear fields and its content (`null` for an event without). */
export interface EventType<Name extends string, Data, Content = null> {
  readonly type: Name;
  readonly data: Data;
  readonly content: Content;
}

// biome-ignore lint/suspicious/noExplicitAny: the bound of every declared event, whatever its fields.
export type AnyEventType = EventType<string, any, any>;

/** An event that a decision asks to append; its content is still in the clear. */
export type NewEventOf<E extends AnyEventType> = E extends AnyEventType
  ? E['content'] extends null
    ? { readonly type: E['type']; readonly data: E['data'] }
    : { readonly type: E['type']; readonly data: E['data']; readonly content: E['content'] }
  : never;

/** An event as it is stored: content is an opaque value that is carried and never read. */
export type RecordedEventOf<E extends AnyEventType> = E extends AnyEventType
  ? RecordedFields & { readonly type: E['type']; readonly data: E['data'] }
  : never;

export interface RecordedFields {
  readonly id: string;
  readonly stream: string;
  /** Place in the stream, from 0. */
  readonly revision: number;
  /** Place in the whole log. */
  readonly position: bigint;
  /** When it was decided, RFC 3339 UTC. */
  readonly at: string;
  /** The principal behind the command, or the worker that recorded a step. */
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string;
  /** The version that its data had when it was written, before any upcaster. */
  readonly schemaVersion: number;
  /** Compact JWE; absent where the event has no content. */
  readonly sealed?: string;
}

/** Who made an event happen. */
export type Actor =
  | { readonly kind: 'principal'; readonly id: string }
  | { readonly kind: 'worker'; readonly id: string }
  | { readonly kind: 'system'; readonly id: string };

/** What goes beside an event's data in the log. */
export interface EventMetadata {
  readonly $correlationId: string;
  readonly $causationId?: string;
  readonly schemaVersion: number;
  readonly actor: Actor;
  readonly at: string;
}

/** The content of an event once opened: always an object, so that members can be added later. */
export type Content = JsonObject;
