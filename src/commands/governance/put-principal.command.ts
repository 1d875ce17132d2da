import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { PrincipalDocument, PutPrincipalRejection } from '../../governance/decisions/put-principal.js';
import type { Precondition, PutReply } from '../../governance/documents.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

/** Replies with the revision of the document that stands now. */
export class PutPrincipal extends Command<
  GovernanceCommandResult<PutReply & { readonly revision: number }, PutPrincipalRejection>
> {
  constructor(
    readonly actor: Actor,
    readonly principalId: string,
    readonly document: PrincipalDocument,
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
