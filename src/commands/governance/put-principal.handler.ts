import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { DecisionContext } from '../../event-store/loaded.js';
import { Streams } from '../../event-store/streams.js';
import { decidePutPrincipal, type PutPrincipalFacts } from '../../governance/decisions/put-principal.js';
import { PRINCIPAL, type PrincipalState } from '../../governance/principal-record.js';
import { recordStream } from '../../governance/records.js';
import { Subjects } from '../../governance/subjects.js';
import { putResult } from './governance-command-result.js';
import { PutPrincipal } from './put-principal.command.js';

@CommandHandler(PutPrincipal)
export class PutPrincipalHandler implements ICommandHandler<PutPrincipal> {
  constructor(
    private readonly streams: Streams,
    private readonly subjects: Subjects,
  ) {}

  async execute(command: PutPrincipal) {
    const { actor, principalId, correlationId } = command;
    const context = { actor, correlationId };
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      context,
      ({ state }) => this.claimSubject(state, command, context),
      (state, facts) => decidePutPrincipal(state, command, facts),
    );
    return putResult(executed);
  }

  /** Only for a document that would be taken: one that is refused anyway leaves no trace. */
  private async claimSubject(
    state: PrincipalState,
    command: PutPrincipal,
    context: DecisionContext,
  ): Promise<PutPrincipalFacts> {
    const { principalId, document } = command;
    const { oidcSubject } = document;
    const free = { subjectTaken: false };
    if (oidcSubject === null || decidePutPrincipal(state, command, free).outcome === 'rejected') return free;
    const hasIt = state.document?.data.oidcSubject === oidcSubject;
    return { subjectTaken: !(await this.subjects.claim(oidcSubject, { principalId, hasIt }, context)) };
  }
}
