import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { DeleteConfigurationRejection } from '../../governance/decisions/delete-configuration.js';
import type { DeleteReply, Precondition } from '../../governance/documents.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

export class DeleteConfiguration extends Command<GovernanceCommandResult<DeleteReply, DeleteConfigurationRejection>> {
  constructor(
    readonly actor: Actor,
    readonly configurationId: string,
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
