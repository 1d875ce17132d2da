import type { ExpectedRevision } from './event-store.js';

/** Somebody appended first. Whoever decided on the older state reads again and decides again; a segment ends. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: ExpectedRevision,
  ) {
    super(`stream ${stream} is at ${actual}, not at ${expected}`);
  }
}

/** The store cannot be reached or did not answer in time. The same append may be repeated with the same ids. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(
    message: string,
    /** True when an append may have been written although no success was seen. */
    readonly outcomeUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A stored key was changed by somebody else, or its master key is not to be had: a matter for a person, and of one stream. */
export class DamagedKey extends StoreUnavailable {
  constructor(keyId: string, cause: unknown) {
    super(`the stored key ${keyId} is damaged`, false, { cause });
  }
}

/** `stream_removed`: somebody removed the stream for good, by the store's own means. */
export type AppendRefusal =
  | 'no_events'
  | 'too_many_events'
  | 'event_too_large'
  | 'append_too_large'
  | 'partial_repeat'
  | 'stream_removed';

/** The append is wrong in itself; repeating it changes nothing. */
export class AppendRefused extends Error {
  override readonly name = 'AppendRefused';
  constructor(
    readonly stream: string,
    readonly refusal: AppendRefusal,
  ) {
    super(`append to ${stream} refused: ${refusal}`);
  }
}
