import type { Decision } from '../../events/decider.js';
import type { SourceEventType } from '../../events/governance-events.js';
import type { JsonObject } from '../../events/json.js';
import type { DataClass } from '../../tools/tool.js';
import { decidePut, isSameJson, type Precondition, type PreconditionFailed, type PutReply } from '../documents.js';
import type { SourceKind, SourceState } from '../source-record.js';

/** A snippet or skill as an administrator writes it, whole. */
export interface SourceDocument {
  readonly name: string;
  readonly content: string;
  /** Null: it puts no limit on where it goes. */
  readonly dataClass: DataClass | null;
  readonly active: boolean;
}

export interface PutSource {
  readonly kind: SourceKind;
  readonly document: SourceDocument;
  readonly precondition: Precondition;
}

export interface PutSourceFacts {
  /** The words of the document that is put now, opened; null where there is none or they were erased. */
  readonly content: JsonObject | null;
}

export type PutSourceRejection = PreconditionFailed;

export function decidePutSource(
  state: SourceState,
  { kind, document, precondition }: PutSource,
  { content: current }: PutSourceFacts,
): Decision<SourceEventType, PutReply, PutSourceRejection> {
  const { name, content: text, ...data } = document;
  const content = { name, content: text };
  return decidePut<SourceEventType>(
    state.document,
    { type: kind === 'snippet' ? 'SnippetPut' : 'SkillPut', data, content },
    current !== null && isSameJson(current, content),
    precondition,
  );
}
