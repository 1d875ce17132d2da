import type { Fold } from '../events/decider.js';
import type { RecordedEventOf } from '../events/event.js';
import { PRINCIPAL_STREAM_PREFIX, type PrincipalEventType, type PrincipalPut } from '../events/governance-events.js';
import type { Principal } from './principal.js';
import type { RecordKind } from './records.js';

export interface TokenRecord {
  readonly tokenId: string;
  readonly name: string | null;
  readonly hash: string;
  readonly issuedAt: string;
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface PrincipalState {
  /** Null until the principal was put; principals are disabled, never deleted, since runs keep naming them. */
  readonly document: RecordedEventOf<PrincipalPut> | null;
  /** By id, revoked and expired ones too. */
  readonly tokens: ReadonlyMap<string, TokenRecord>;
}

const principalFold: Fold<PrincipalState, PrincipalEventType> = {
  initialState: { document: null, tokens: new Map() },
  evolve(state, event) {
    switch (event.type) {
      case 'PrincipalPut':
        return { ...state, document: event };
      case 'SubjectYielded':
      case 'AdministrationAsserted':
        // Says nothing about the principal: it only makes a change that was decided before it be decided again.
        return state;
      case 'TokenIssued':
        return withToken(state, { ...event.data, issuedAt: event.at, revokedAt: null });
      case 'TokenRevoked': {
        const token = state.tokens.get(event.data.tokenId);
        return token === undefined ? state : withToken(state, { ...token, revokedAt: event.at });
      }
    }
  },
};

function withToken(state: PrincipalState, token: TokenRecord): PrincipalState {
  return { ...state, tokens: new Map(state.tokens).set(token.tokenId, token) };
}

export const PRINCIPAL: RecordKind<PrincipalState, PrincipalEventType> = {
  streamPrefix: PRINCIPAL_STREAM_PREFIX,
  fold: principalFold,
  mostRemembered: 2_048,
};

export function principalOf(id: string, { document }: PrincipalState): Principal | null {
  return document === null ? null : { ...document.data, id };
}

export function isUsable(token: TokenRecord, nowMs: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || Date.parse(token.expiresAt) > nowMs);
}
