import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { Enforcement } from '../../governance/ceiling.js';
import type { PutEnforcementRejection } from '../../governance/decisions/put-enforcement.js';
import type { Precondition, PutReply } from '../../governance/documents.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

/** Says whether the ceiling of data classes is kept or only observed. Replies with the revision that stands now. */
export class PutEnforcement extends Command<
  GovernanceCommandResult<PutReply & { readonly revision: number }, PutEnforcementRejection>
> {
  constructor(
    readonly actor: Actor,
    readonly mode: Enforcement,
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
