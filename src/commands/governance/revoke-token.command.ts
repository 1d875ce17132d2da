import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { RevokeTokenRejection } from '../../governance/decisions/revoke-token.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

export class RevokeToken extends Command<GovernanceCommandResult<object, RevokeTokenRejection>> {
  constructor(
    readonly actor: Actor,
    readonly principalId: string,
    readonly tokenId: string,
    readonly correlationId: string,
  ) {
    super();
  }
}
