import type { AnyEventType, NewEventOf, RecordedEventOf } from './event.js';

/** How a stream's events become a state. Pure. */
export interface Fold<State, E extends AnyEventType> {
  readonly initialState: State;
  evolve(state: State, event: RecordedEventOf<E>): State;
}

/** What became of a command. An expected "no" is a value; exceptions are for bugs and for a store that is away. */
export type Decision<E extends AnyEventType, Reply, Rejection> =
  | { readonly outcome: 'accepted'; readonly events: readonly NewEventOf<E>[]; readonly reply: Reply }
  | { readonly outcome: 'nothing_to_do'; readonly reply: Reply }
  | { readonly outcome: 'rejected'; readonly rejection: Rejection };

export function accepted<E extends AnyEventType, Reply>(
  events: readonly NewEventOf<E>[],
  reply: Reply,
): Decision<E, Reply, never> {
  return { outcome: 'accepted', events, reply };
}

export function nothingToDo<Reply>(reply: Reply): Decision<never, Reply, never> {
  return { outcome: 'nothing_to_do', reply };
}

export function rejected<Rejection>(rejection: Rejection): Decision<never, never, Rejection> {
  return { outcome: 'rejected', rejection };
}
