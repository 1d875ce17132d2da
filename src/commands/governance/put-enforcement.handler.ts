import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { decidePutEnforcement } from '../../governance/decisions/put-enforcement.js';
import { DATA_CLASS_ENFORCEMENT_ID, ENFORCEMENT } from '../../governance/enforcement-record.js';
import { recordStream } from '../../governance/records.js';
import { putResult } from './governance-command-result.js';
import { PutEnforcement } from './put-enforcement.command.js';

@CommandHandler(PutEnforcement)
export class PutEnforcementHandler implements ICommandHandler<PutEnforcement> {
  constructor(private readonly streams: Streams) {}

  async execute(command: PutEnforcement) {
    const executed = await this.streams.execute(
      recordStream(ENFORCEMENT, DATA_CLASS_ENFORCEMENT_ID),
      ENFORCEMENT.fold,
      { actor: command.actor, correlationId: command.correlationId },
      async () => null,
      (state) => decidePutEnforcement(state, command),
    );
    return putResult(executed);
  }
}
