import type { Fold } from '../events/decider.js';
import type { RecordedEventOf } from '../events/event.js';
import { type DataClassEnforcementPut, POLICY_STREAM_PREFIX } from '../events/governance-events.js';
import type { RecordKind } from './records.js';

/** Id of the one record of this kind. */
export const DATA_CLASS_ENFORCEMENT_ID = 'data_class_enforcement';

export interface EnforcementState {
  /** Null until an operator has said anything: then the ceiling is enforced. */
  readonly document: RecordedEventOf<DataClassEnforcementPut> | null;
}

const enforcementFold: Fold<EnforcementState, DataClassEnforcementPut> = {
  initialState: { document: null },
  evolve: (_state, event) => ({ document: event }),
};

export const ENFORCEMENT: RecordKind<EnforcementState, DataClassEnforcementPut> = {
  streamPrefix: POLICY_STREAM_PREFIX,
  fold: enforcementFold,
  mostRemembered: 1,
};
