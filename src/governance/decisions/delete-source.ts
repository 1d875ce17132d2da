import type { Decision } from '../../events/decider.js';
import type { SourceEventType } from '../../events/governance-events.js';
import { type DeleteRejection, type DeleteReply, decideDelete, type Precondition } from '../documents.js';
import type { SourceKind, SourceState } from '../source-record.js';

export interface DeleteSource {
  readonly kind: SourceKind;
  readonly precondition: Precondition;
}

export type DeleteSourceRejection = DeleteRejection;

/** Runs whose prompt has the text go on with it; deleting a source stops none of them (SRC-4). */
export function decideDeleteSource(
  { document, existed }: SourceState,
  { kind, precondition }: DeleteSource,
): Decision<SourceEventType, DeleteReply, DeleteSourceRejection> {
  return decideDelete<SourceEventType>(
    document,
    existed,
    { type: kind === 'snippet' ? 'SnippetDeleted' : 'SkillDeleted', data: {} },
    precondition,
  );
}
