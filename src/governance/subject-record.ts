import { createHash } from 'node:crypto';
import type { Fold } from '../events/decider.js';
import { SUBJECT_STREAM_PREFIX, type SubjectEventType } from '../events/sign-in-events.js';
import type { RecordKind } from './records.js';

export interface SubjectState {
  /** Who claimed the subject last; whether they have it is what their own record says. */
  readonly claimedBy: string | null;
}

const subjectFold: Fold<SubjectState, SubjectEventType> = {
  initialState: { claimedBy: null },
  evolve: (_state, event) => ({ claimedBy: event.data.principalId }),
};

/** One record for each `sub` of the issuer that was ever given to somebody, under its hash. */
export const SUBJECT: RecordKind<SubjectState, SubjectEventType> = {
  streamPrefix: SUBJECT_STREAM_PREFIX,
  fold: subjectFold,
  mostRemembered: 2_048,
};

/** Lower-case hex SHA-256: a `sub` can have characters that the name of a stream cannot. */
export function hashOfSubject(subject: string): string {
  return createHash('sha256').update(subject, 'utf8').digest('hex');
}
