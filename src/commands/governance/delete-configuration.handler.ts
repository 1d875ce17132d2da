import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { CONFIGURATION } from '../../governance/configuration-record.js';
import { decideDeleteConfiguration } from '../../governance/decisions/delete-configuration.js';
import { recordStream } from '../../governance/records.js';
import { DeleteConfiguration } from './delete-configuration.command.js';
import { governanceResult } from './governance-command-result.js';

@CommandHandler(DeleteConfiguration)
export class DeleteConfigurationHandler implements ICommandHandler<DeleteConfiguration> {
  constructor(private readonly streams: Streams) {}

  async execute({ actor, configurationId, precondition, correlationId }: DeleteConfiguration) {
    const executed = await this.streams.execute(
      recordStream(CONFIGURATION, configurationId),
      CONFIGURATION.fold,
      { actor, correlationId },
      async () => null,
      (state) => decideDeleteConfiguration(state, precondition),
    );
    return governanceResult(executed);
  }
}
