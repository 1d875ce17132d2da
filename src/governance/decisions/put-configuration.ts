import type { Decision } from '../../events/decider.js';
import type { ConfigurationEventType } from '../../events/governance-events.js';
import type { JsonObject } from '../../events/json.js';
import { type ConfigurationDocument, recordedConfiguration } from '../configuration-document.js';
import type { ConfigurationState } from '../configuration-record.js';
import { decidePut, isSameJson, type Precondition, type PreconditionFailed, type PutReply } from '../documents.js';

export interface PutConfiguration {
  readonly document: ConfigurationDocument;
  readonly precondition: Precondition;
}

export interface PutConfigurationFacts {
  /** The content of the document that is put now, opened; null where there is none or it was erased. */
  readonly content: JsonObject | null;
}

export type PutConfigurationRejection = PreconditionFailed;

export function decidePutConfiguration(
  state: ConfigurationState,
  { document, precondition }: PutConfiguration,
  { content: current }: PutConfigurationFacts,
): Decision<ConfigurationEventType, PutReply, PutConfigurationRejection> {
  const { data, content } = recordedConfiguration(document);
  const sameContent = current !== null && isSameJson(current, content as unknown as JsonObject);
  return decidePut<ConfigurationEventType>(
    state.document,
    { type: 'ConfigurationPut', data, content },
    sameContent,
    precondition,
  );
}
