import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ERASED } from '../../event-store/sealing.js';
import { Streams } from '../../event-store/streams.js';
import { decidePutSource, type PutSourceFacts } from '../../governance/decisions/put-source.js';
import { recordStream } from '../../governance/records.js';
import { SOURCE, type SourceState } from '../../governance/source-record.js';
import { putResult } from './governance-command-result.js';
import { PutSource } from './put-source.command.js';

@CommandHandler(PutSource)
export class PutSourceHandler implements ICommandHandler<PutSource> {
  constructor(private readonly streams: Streams) {}

  async execute({ actor, source: { kind, id }, document, precondition, correlationId }: PutSource) {
    const executed = await this.streams.execute(
      recordStream(SOURCE[kind], id),
      SOURCE[kind].fold,
      { actor, correlationId },
      ({ stream, state }) => this.gather(stream, state),
      (state, facts: PutSourceFacts) => decidePutSource(state, { kind, document, precondition }, facts),
    );
    return putResult(executed);
  }

  /** An equal document can only be told by its content. */
  private async gather(stream: string, { document }: SourceState): Promise<PutSourceFacts> {
    if (document === null) return { content: null };
    const content = this.streams.codec.open(document, await this.streams.keys.find(stream));
    return { content: content === ERASED ? null : content };
  }
}
