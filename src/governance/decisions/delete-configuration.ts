import type { Decision } from '../../events/decider.js';
import type { ConfigurationEventType } from '../../events/governance-events.js';
import type { ConfigurationState } from '../configuration-record.js';
import { type DeleteRejection, type DeleteReply, decideDelete, type Precondition } from '../documents.js';

export type DeleteConfigurationRejection = DeleteRejection;

/** Runs of a deleted configuration end or hand back their answers by their own rules; deleting asks nothing of them. */
export function decideDeleteConfiguration(
  { document, existed }: ConfigurationState,
  precondition: Precondition,
): Decision<ConfigurationEventType, DeleteReply, DeleteConfigurationRejection> {
  return decideDelete<ConfigurationEventType>(
    document,
    existed,
    { type: 'ConfigurationDeleted', data: {} },
    precondition,
  );
}
