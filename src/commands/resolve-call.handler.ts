import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../event-store/streams.js';
import { runStream } from '../events/run-events.js';
import { decideResolveCall } from '../run/decisions/resolve-call.js';
import { runFold } from '../run/evolve.js';
import { ResolveCall } from './resolve-call.command.js';
import { resultOf } from './result-of.js';

@CommandHandler(ResolveCall)
export class ResolveCallHandler implements ICommandHandler<ResolveCall> {
  constructor(private readonly streams: Streams) {}

  async execute({ principal, runId, callId, finding, note, correlationId }: ResolveCall) {
    const executed = await this.streams.execute(
      runStream(runId),
      runFold,
      { actor: { kind: 'principal', id: principal.id }, correlationId },
      async () => null,
      (state) => decideResolveCall(state, { principalId: principal.id, callId, finding, note }),
    );
    return resultOf(runId, executed);
  }
}
