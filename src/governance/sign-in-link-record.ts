import type { Fold } from '../events/decider.js';
import {
  SIGN_IN_LINK_STREAM_PREFIX,
  type SignInLinkEventType,
  type SignInLinkIssued,
} from '../events/sign-in-events.js';
import type { RecordKind } from './records.js';

export interface SignInLinkState {
  /** Null: there never was such a link. */
  readonly issued: SignInLinkIssued['data'] | null;
  readonly used: boolean;
}

const signInLinkFold: Fold<SignInLinkState, SignInLinkEventType> = {
  initialState: { issued: null, used: false },
  evolve(state, event) {
    switch (event.type) {
      case 'SignInLinkIssued':
        return { issued: event.data, used: false };
      case 'SignInLinkUsed':
        return { ...state, used: true };
    }
  },
};

/** One record for each link, under the hash of its secret. Links are rare and used once: hardly any is remembered. */
export const SIGN_IN_LINK: RecordKind<SignInLinkState, SignInLinkEventType> = {
  streamPrefix: SIGN_IN_LINK_STREAM_PREFIX,
  fold: signInLinkFold,
  mostRemembered: 16,
};
