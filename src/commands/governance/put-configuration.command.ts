import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { ConfigurationDocument } from '../../governance/configuration-document.js';
import type { PutConfigurationRejection } from '../../governance/decisions/put-configuration.js';
import type { Precondition, PutReply } from '../../governance/documents.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

/** Replies with the revision of the document that stands now. */
export class PutConfiguration extends Command<
  GovernanceCommandResult<PutReply & { readonly revision: number }, PutConfigurationRejection>
> {
  constructor(
    readonly actor: Actor,
    readonly configurationId: string,
    readonly document: ConfigurationDocument,
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
