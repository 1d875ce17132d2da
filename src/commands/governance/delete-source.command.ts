import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { DeleteSourceRejection } from '../../governance/decisions/delete-source.js';
import type { DeleteReply, Precondition } from '../../governance/documents.js';
import type { SourceRef } from '../../governance/source-record.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

export class DeleteSource extends Command<GovernanceCommandResult<DeleteReply, DeleteSourceRejection>> {
  constructor(
    readonly actor: Actor,
    readonly source: SourceRef,
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
