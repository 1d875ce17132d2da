import type { EventType } from './event.js';

/*
 * Names and shapes in this file are the storage format. A change to a released shape is a new schema version with an
 * upcaster and a golden history (`test/histories`), never an edit.
 *
 * An answer that was refused leaves its run as it was, down to the stream (SUB-9). What is remembered of the attempt is
 * in a stream beside it, so that refusing somebody never takes a revision from somebody else's answer.
 */

/** Refusals of permission: of whoever answers, or of what the run may send on. */
export type RefusalCode = 'submitter_not_permitted' | 'approver_not_permitted' | 'self_approval' | 'context_blocked';

/** Why the tool gate refuses somebody; null where the refusal is not about a tool. */
export type RefusalReason =
  | 'principal_unknown'
  | 'principal_disabled'
  | 'service_account'
  | 'not_registered'
  | 'tool_disabled'
  | 'not_allowed_by_configuration'
  | 'admins_only'
  | 'data_class_above_ceiling';

export type AnswerRefused = EventType<
  'AnswerRefused',
  {
    readonly attemptedBy: string;
    readonly answer: 'input' | 'approval' | 'denial';
    readonly refusal: RefusalCode;
    readonly reason: RefusalReason | null;
    readonly toolName: string | null;
    /** The source that is too sensitive (SRC-2); null where the refusal is about the person. */
    readonly sourceId: string | null;
    readonly dataClass: string | null;
    readonly zone: string | null;
    /** Of the pause that was to be answered: an answer that names another turn is refused as stale before this. */
    readonly turnDigest: string;
  }
>;

export const REFUSAL_STREAM_PREFIX = 'refusal-';
