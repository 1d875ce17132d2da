/** What a stream's keys are for (SEA-2): `outcome` seals the final answer and what recognises a replay, `working` the rest. */
export type KeyScope = 'working' | 'outcome';

export const KEY_SCOPES: readonly KeyScope[] = ['working', 'outcome'];

/** A key that seals content. Shared by whoever asked for it, hence never changed in place. */
export interface DataKey {
  /** Names stream and scope, see {@link keyId}; stands readable beside what it sealed. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
}

/** A scope is absent when its key was destroyed, or when the stream never had keys. */
export type StreamKeys = { readonly [Scope in KeyScope]?: DataKey };

export function keyId(stream: string, scope: KeyScope): string {
  return `${stream}/${scope}`;
}

/**
 * Keeps the keys of streams outside of the event log, so that destroying one erases content in every copy of the log at
 * once (SEA-2). Keys are there before the content that they seal: whoever starts a stream creates its keys first.
 */
export abstract class KeyStore {
  /**
   * The keys of a stream that is about to get its first event, made durably if it has none. Any number of callers, in
   * any number of processes, are given the same keys. What was destroyed is not made anew.
   *
   * @throws {StoreUnavailable} repeating it is safe.
   */
  abstract create(stream: string): Promise<StreamKeys>;

  /** The keys of a stream as they are now. @throws {StoreUnavailable} */
  abstract find(stream: string): Promise<StreamKeys>;

  /**
   * Destroys a key for good: when this resolves, no part of it is left in the store's files. Destroying what does not
   * exist succeeds.
   *
   * @throws {StoreUnavailable} the key may be gone or not; repeat until this resolves.
   */
  abstract destroy(stream: string, scope: KeyScope): Promise<void>;

  /**
   * Destroys the keys of streams that never got an event, because whoever was about to start them died. A stream that is
   * found in use is not asked about again.
   *
   * @param madeBefore epoch milliseconds; younger keys may belong to a start that is under way.
   * @param isUsed whether the stream has an event.
   * @returns how many streams lost their keys. They can be created anew.
   * @throws {StoreUnavailable}
   */
  abstract sweepOrphans(madeBefore: number, isUsed: (stream: string) => Promise<boolean>): Promise<number>;

  /** Settles what is under way and lets go of the store. Calls after it are {@link StoreUnavailable}. */
  abstract close(): Promise<void>;
}
