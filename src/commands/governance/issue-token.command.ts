import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { IssueToken as IssueTokenDecision, IssueTokenRejection } from '../../governance/decisions/issue-token.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

/** Records a token by its hash. The token stays with whoever made it and will tell it. */
export class IssueToken extends Command<GovernanceCommandResult<object, IssueTokenRejection>> {
  constructor(
    readonly actor: Actor,
    readonly principalId: string,
    readonly token: IssueTokenDecision,
    readonly correlationId: string,
  ) {
    super();
  }
}
