import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ERASED } from '../../event-store/sealing.js';
import { Streams } from '../../event-store/streams.js';
import { CONFIGURATION, type ConfigurationState } from '../../governance/configuration-record.js';
import { decidePutConfiguration, type PutConfigurationFacts } from '../../governance/decisions/put-configuration.js';
import { recordStream } from '../../governance/records.js';
import { putResult } from './governance-command-result.js';
import { PutConfiguration } from './put-configuration.command.js';

@CommandHandler(PutConfiguration)
export class PutConfigurationHandler implements ICommandHandler<PutConfiguration> {
  constructor(private readonly streams: Streams) {}

  async execute(command: PutConfiguration) {
    const { actor, configurationId, correlationId } = command;
    const executed = await this.streams.execute(
      recordStream(CONFIGURATION, configurationId),
      CONFIGURATION.fold,
      { actor, correlationId },
      ({ stream, state }) => this.gather(stream, state),
      (state, facts: PutConfigurationFacts) => decidePutConfiguration(state, command, facts),
    );
    return putResult(executed);
  }

  /** An equal document can only be told by its content. */
  private async gather(stream: string, { document }: ConfigurationState): Promise<PutConfigurationFacts> {
    if (document === null) return { content: null };
    const content = this.streams.codec.open(document, await this.streams.keys.find(stream));
    return { content: content === ERASED ? null : content };
  }
}
