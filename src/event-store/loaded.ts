import type { Actor, AnyEventType, RecordedEventOf } from '../events/event.js';

/** A stream as it was read: what was folded, and the revision that the next append must find. */
export interface Loaded<State, E extends AnyEventType> {
  readonly stream: string;
  readonly state: State;
  readonly revision: 'no_stream' | number;
  readonly events: readonly RecordedEventOf<E>[];
}

/** Who decides, and what made them. */
export interface DecisionContext {
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string;
}

/** The outcome of a command with where the stream stands after it. */
export type Executed<E extends AnyEventType, State, Reply, Rejection> =
  | {
      readonly outcome: 'accepted' | 'nothing_to_do';
      readonly reply: Reply;
      readonly state: State;
      /** Revision of the stream's last event; -1 for a stream without events. */
      readonly revision: number;
      /** Where a projection must be to know of it. */
      readonly position: bigint;
      readonly events: readonly RecordedEventOf<E>[];
    }
  | { readonly outcome: 'rejected'; readonly rejection: Rejection; readonly state: State };
