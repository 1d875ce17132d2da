import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../event-store/streams.js';
import { runStream } from '../events/run-events.js';
import { reaches } from '../governance/access.js';
import { decideCancelRun } from '../run/decisions/cancel-run.js';
import { runFold } from '../run/evolve.js';
import { CancelRun } from './cancel-run.command.js';
import { reachable } from './reachable.js';
import { resultOf } from './result-of.js';

@CommandHandler(CancelRun)
export class CancelRunHandler implements ICommandHandler<CancelRun> {
  constructor(private readonly streams: Streams) {}

  async execute({ principal, runId, correlationId }: CancelRun) {
    const executed = await this.streams.execute(
      runStream(runId),
      runFold,
      { actor: { kind: 'principal', id: principal.id }, correlationId },
      async ({ state }) => ({
        reaches: state.status !== 'not_started' && reaches(principal, 'cancel', reachable(state)),
      }),
      (state, facts) => decideCancelRun(state, { principalId: principal.id }, facts),
    );
    return resultOf(runId, executed);
  }
}
