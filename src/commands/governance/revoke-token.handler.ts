import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { decideRevokeToken } from '../../governance/decisions/revoke-token.js';
import { PRINCIPAL } from '../../governance/principal-record.js';
import { recordStream } from '../../governance/records.js';
import { governanceResult } from './governance-command-result.js';
import { RevokeToken } from './revoke-token.command.js';

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(private readonly streams: Streams) {}

  async execute(command: RevokeToken) {
    const { actor, principalId, correlationId } = command;
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      { actor, correlationId },
      async () => ({ nowMs: this.streams.clock.now() }),
      (state, facts) => decideRevokeToken(state, command, facts),
    );
    return governanceResult(executed);
  }
}
