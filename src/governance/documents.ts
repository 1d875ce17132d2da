import canonicalize from 'canonicalize';
import { accepted, type Decision, nothingToDo, rejected } from '../events/decider.js';
import type { AnyEventType, NewEventOf } from '../events/event.js';
import type { JsonValue } from '../events/json.js';

/*
 * What every kind of governance record has in common (architecture: governance stays small): a document is put whole,
 * the last one wins, and an equal one writes nothing.
 */

/** What is put. `revision` is that of the event that put it, which names this very version to editors. */
export interface CurrentDocument {
  readonly revision: number;
  readonly data: object;
}

/** What an editor wants to be true of the document before it is replaced or deleted. */
export type Precondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'does_not_exist' }
  | { readonly kind: 'is_one_of'; readonly revisions: readonly number[] };

export const NO_PRECONDITION: Precondition = { kind: 'none' };

export interface PreconditionFailed {
  readonly code: 'precondition_failed';
}

export interface PutReply {
  readonly change: 'created' | 'replaced' | 'unchanged';
}

/**
 * An equal document is done already, whatever the precondition says: whoever repeats a request that got through must
 * not be told that it failed (RFC 9110, section 13.1.1).
 *
 * @param sameContent whether the sealed content is equal too; true for documents without content
 */
export function decidePut<E extends AnyEventType>(
  current: CurrentDocument | null,
  put: NewEventOf<E>,
  sameContent: boolean,
  precondition: Precondition,
): Decision<E, PutReply, PreconditionFailed> {
  if (current !== null && sameContent && isSameJson(current.data as JsonValue, put.data)) {
    return nothingToDo({ change: 'unchanged' });
  }
  if (!holds(precondition, current)) return rejected({ code: 'precondition_failed' });
  return accepted<E, PutReply>([put], { change: current === null ? 'created' : 'replaced' });
}

export interface DeleteReply {
  readonly change: 'deleted' | 'unchanged';
}

export type DeleteRejection = PreconditionFailed | { readonly code: 'never_existed' };

/**
 * What was deleted stays so, however often that is asked; what never was is told apart, since its id is a mistake.
 *
 * @param existed whether there was ever a document
 */
export function decideDelete<E extends AnyEventType>(
  current: CurrentDocument | null,
  existed: boolean,
  deletion: NewEventOf<E>,
  precondition: Precondition,
): Decision<E, DeleteReply, DeleteRejection> {
  if (!existed) return rejected({ code: 'never_existed' });
  if (current === null) return nothingToDo({ change: 'unchanged' });
  if (!holds(precondition, current)) return rejected({ code: 'precondition_failed' });
  return accepted<E, DeleteReply>([deletion], { change: 'deleted' });
}

function holds(precondition: Precondition, current: CurrentDocument | null): boolean {
  switch (precondition.kind) {
    case 'none':
      return true;
    case 'exists':
      return current !== null;
    case 'does_not_exist':
      return current === null;
    case 'is_one_of':
      return current !== null && precondition.revisions.includes(current.revision);
  }
}

/** Equal as JSON: the order of members does not matter. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalize(one) === canonicalize(other);
}
