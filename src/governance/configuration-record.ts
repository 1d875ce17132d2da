import type { Fold } from '../events/decider.js';
import type { RecordedEventOf } from '../events/event.js';
import {
  CONFIGURATION_STREAM_PREFIX,
  type ConfigurationEventType,
  type ConfigurationPut,
} from '../events/governance-events.js';
import type { RecordKind } from './records.js';

/** A configuration's stream: its document is kept as it is stored, so that the content stays sealed until it is needed. */
export interface ConfigurationState {
  /** Null before the first document and after a deletion. */
  readonly document: RecordedEventOf<ConfigurationPut> | null;
  readonly existed: boolean;
}

const configurationFold: Fold<ConfigurationState, ConfigurationEventType> = {
  initialState: { document: null, existed: false },
  evolve(_state, event) {
    switch (event.type) {
      case 'ConfigurationPut':
        return { document: event, existed: true };
      case 'ConfigurationDeleted':
        return { document: null, existed: true };
    }
  },
};

export const CONFIGURATION: RecordKind<ConfigurationState, ConfigurationEventType> = {
  streamPrefix: CONFIGURATION_STREAM_PREFIX,
  fold: configurationFold,
  mostRemembered: 256,
};
