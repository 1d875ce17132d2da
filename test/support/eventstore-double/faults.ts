/** What a client asks for. */
export type Method = 'append' | 'read' | 'subscribe' | 'delete';

/** What goes wrong at the moment. All of it can be sent to the server's process as JSON. */
export interface Faults {
  /** Calls of these kinds are taken and never answered; they change nothing. */
  readonly hang: readonly Method[];
  /** Appends and deletions are done and never answered. */
  readonly loseAnswers: boolean;
  /** Answers are held back so long. */
  readonly delayMs: number;
  /** So many of the next appends lose all connections before, or after, they are written. */
  readonly dropBeforeCommit: number;
  readonly dropAfterCommit: number;
  /** The server has started and is not ready yet. */
  readonly notReady: boolean;
  /** Nobody is told who leads. */
  readonly noGossip: boolean;
  /** Everybody is refused. */
  readonly deny: boolean;
  /** Another node leads, and is named to whoever asks for the leader. */
  readonly leader: { readonly host: string; readonly port: number } | null;
  /** The checkpoint of a filtered subscription that goes live is 2^64−1. */
  readonly endCheckpoint: boolean;
  /** Checkpoints of filtered subscriptions are ahead of the log by so much. */
  readonly checkpointsAhead: number;
  /** Answers to appends name no position. */
  readonly withoutPositions: boolean;
  /** Live subscriptions are told nothing any more; those that were opened before stay so. */
  readonly muteSubscriptions: boolean;
}

export const HEALTHY: Faults = {
  hang: [],
  loseAnswers: false,
  delayMs: 0,
  dropBeforeCommit: 0,
  dropAfterCommit: 0,
  notReady: false,
  noGossip: false,
  deny: false,
  leader: null,
  endCheckpoint: false,
  checkpointsAhead: 0,
  withoutPositions: false,
  muteSubscriptions: false,
};
