import type { Fold } from '../events/decider.js';
import {
  SESSION_STREAM_PREFIX,
  type SessionBegun,
  type SessionCredential,
  type SessionEventType,
} from '../events/sign-in-events.js';
import { maySignIn } from './access.js';
import type { Principal } from './principal.js';
import { isUsable, type PrincipalState, principalOf } from './principal-record.js';
import type { RecordKind } from './records.js';
import { hashOfSubject } from './subject-record.js';

export interface SessionState {
  /** Null: there never was such a session. */
  readonly begun: SessionBegun['data'] | null;
  readonly ended: boolean;
}

const sessionFold: Fold<SessionState, SessionEventType> = {
  initialState: { begun: null, ended: false },
  evolve(state, event) {
    switch (event.type) {
      case 'SessionBegun':
        return { begun: event.data, ended: false };
      case 'SessionEnded':
        return { ...state, ended: true };
    }
  },
};

/** One record for each session, under the hash of the secret that its browser has. */
export const SESSION: RecordKind<SessionState, SessionEventType> = {
  streamPrefix: SESSION_STREAM_PREFIX,
  fold: sessionFold,
  mostRemembered: 4_096,
};

/** Of a session that nobody has ended, and whose time has not run out, whose it is; their record has the last word. */
export function openSessionOf({ begun, ended }: SessionState, nowMs: number): SessionBegun['data'] | null {
  return begun === null || ended || Date.parse(begun.expiresAt) <= nowMs ? null : begun;
}

/** Who is behind a session now: nobody, once they may not sign in or what they came in with is worth nothing any more. */
export function principalBehind(
  { principalId, credential }: Pick<SessionBegun['data'], 'principalId' | 'credential'>,
  state: PrincipalState,
  nowMs: number,
): Principal | null {
  const principal = principalOf(principalId, state);
  if (principal === null || !maySignIn(principal)) return null;
  return stillStands(credential, principal, state, nowMs) ? principal : null;
}

function stillStands(
  credential: SessionCredential,
  { oidcSubject }: Principal,
  { tokens }: PrincipalState,
  nowMs: number,
): boolean {
  switch (credential.kind) {
    case 'token': {
      const token = tokens.get(credential.tokenId);
      return token !== undefined && isUsable(token, nowMs);
    }
    case 'subject':
      return oidcSubject !== null && hashOfSubject(oidcSubject) === credential.hash;
    case 'link':
      return true;
  }
}
