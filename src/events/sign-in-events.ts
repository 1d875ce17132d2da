import type { EventType } from './event.js';

/*
 * Names and shapes in this file are the storage format, as in governance-events.ts.
 *
 * Who comes in by what: to whom a subject of the issuer belongs, the one-time links that were made, and the sessions of
 * the inbox. Secrets are in the names of streams alone, as hashes.
 */

/**
 * Somebody is about to be given this subject. Whether they have it is what their own record says: a claim only sees to it
 * that no two of them have it.
 */
export type SubjectClaimed = EventType<'SubjectClaimed', { readonly principalId: string }>;

export type SignInLinkIssued = EventType<
  'SignInLinkIssued',
  {
    readonly principalId: string;
    /** RFC 3339 UTC with milliseconds. */
    readonly expiresAt: string;
  }
>;

export type SignInLinkUsed = EventType<'SignInLinkUsed', Record<string, never>>;

/** What somebody came in with. A session is worth no more than that, for as long as that is worth something. */
export type SessionCredential =
  | { readonly kind: 'token'; readonly tokenId: string }
  | { readonly kind: 'link' }
  /** Lower-case hex SHA-256 of the subject. */
  | { readonly kind: 'subject'; readonly hash: string };

export type SessionBegun = EventType<
  'SessionBegun',
  {
    readonly principalId: string;
    readonly credential: SessionCredential;
    /** RFC 3339 UTC with milliseconds. */
    readonly expiresAt: string;
  }
>;

export type SessionEnded = EventType<'SessionEnded', Record<string, never>>;

export type SubjectEventType = SubjectClaimed;
export type SignInLinkEventType = SignInLinkIssued | SignInLinkUsed;
export type SessionEventType = SessionBegun | SessionEnded;
export type SignInEventType = SubjectEventType | SignInLinkEventType | SessionEventType;

export const SUBJECT_STREAM_PREFIX = 'subject-';
export const SIGN_IN_LINK_STREAM_PREFIX = 'link-';
export const SESSION_STREAM_PREFIX = 'session-';
