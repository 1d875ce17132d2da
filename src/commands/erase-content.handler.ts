import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../event-store/streams.js';
import { runStream } from '../events/run-events.js';
import { decideEraseContent } from '../run/decisions/erase-content.js';
import { runFold } from '../run/evolve.js';
import { EraseContent } from './erase-content.command.js';
import { resultOf } from './result-of.js';

@CommandHandler(EraseContent)
export class EraseContentHandler implements ICommandHandler<EraseContent> {
  constructor(private readonly streams: Streams) {}

  async execute({ actor, runId, scopes, reason, correlationId }: EraseContent) {
    const executed = await this.streams.execute(
      runStream(runId),
      runFold,
      { actor, correlationId },
      async () => null,
      (state) => decideEraseContent(state, { scopes, reason }),
    );
    // Whoever asks for it is told only when the keys are gone, also where they have come back with an older key file.
    if (executed.outcome !== 'rejected' && reason === 'request') {
      for (const scope of scopes) await this.streams.keys.destroy(runStream(runId), scope);
    }
    return resultOf(runId, executed);
  }
}
