import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { decidePutPrincipal } from '../../governance/decisions/put-principal.js';
import { PRINCIPAL } from '../../governance/principal-record.js';
import { recordStream } from '../../governance/records.js';
import { putResult } from './governance-command-result.js';
import { PutPrincipal } from './put-principal.command.js';

@CommandHandler(PutPrincipal)
export class PutPrincipalHandler implements ICommandHandler<PutPrincipal> {
  constructor(private readonly streams: Streams) {}

  async execute(command: PutPrincipal) {
    const { actor, principalId, correlationId } = command;
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      { actor, correlationId },
      async () => null,
      (state) => decidePutPrincipal(state, command),
    );
    return putResult(executed);
  }
}
