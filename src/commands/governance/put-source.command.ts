import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { PutSourceRejection, SourceDocument } from '../../governance/decisions/put-source.js';
import type { Precondition, PutReply } from '../../governance/documents.js';
import type { SourceRef } from '../../governance/source-record.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

/** Puts a snippet or a skill. Replies with the revision of the document that stands now. */
export class PutSource extends Command<
  GovernanceCommandResult<PutReply & { readonly revision: number }, PutSourceRejection>
> {
  constructor(
    readonly actor: Actor,
    readonly source: SourceRef,
    readonly document: SourceDocument,
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
