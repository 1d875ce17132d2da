import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { decideIssueToken } from '../../governance/decisions/issue-token.js';
import { PRINCIPAL } from '../../governance/principal-record.js';
import { recordStream } from '../../governance/records.js';
import { governanceResult } from './governance-command-result.js';
import { IssueToken } from './issue-token.command.js';

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken> {
  constructor(private readonly streams: Streams) {}

  async execute({ actor, principalId, token, correlationId }: IssueToken) {
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      { actor, correlationId },
      async () => ({ nowMs: this.streams.clock.now() }),
      (state, facts) => decideIssueToken(state, token, facts),
    );
    return governanceResult(executed);
  }
}
