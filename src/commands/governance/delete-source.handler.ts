import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { decideDeleteSource } from '../../governance/decisions/delete-source.js';
import { recordStream } from '../../governance/records.js';
import { SOURCE } from '../../governance/source-record.js';
import { DeleteSource } from './delete-source.command.js';
import { governanceResult } from './governance-command-result.js';

@CommandHandler(DeleteSource)
export class DeleteSourceHandler implements ICommandHandler<DeleteSource> {
  constructor(private readonly streams: Streams) {}

  async execute({ actor, source: { kind, id }, precondition, correlationId }: DeleteSource) {
    const executed = await this.streams.execute(
      recordStream(SOURCE[kind], id),
      SOURCE[kind].fold,
      { actor, correlationId },
      async () => null,
      (state) => decideDeleteSource(state, { kind, precondition }),
    );
    return governanceResult(executed);
  }
}
