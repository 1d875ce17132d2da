import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { DecisionContext } from '../../event-store/loaded.js';
import { Streams } from '../../event-store/streams.js';
import { decideAssertAdministration } from '../../governance/decisions/assert-administration.js';
import {
  decidePutPrincipal,
  type PutPrincipalFacts,
  takesAdministration,
} from '../../governance/decisions/put-principal.js';
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
      ({ state }) => this.gather(state, command, context),
      (state, facts) => decidePutPrincipal(state, command, facts),
    );
    return putResult(executed);
  }

  /** Only for a document that would be taken: one that is refused anyway leaves no trace. */
  private async gather(
    state: PrincipalState,
    command: PutPrincipal,
    context: DecisionContext,
  ): Promise<PutPrincipalFacts> {
    const granted = { subjectTaken: false, actorAdministers: true };
    if (decidePutPrincipal(state, command, granted).outcome === 'rejected') return granted;
    if (!(await this.assertAdministration(state, command, context))) return { ...granted, actorAdministers: false };
    return { ...granted, subjectTaken: !(await this.claimSubject(state, command, context)) };
  }

  /**
   * Whoever takes administration from somebody appends to their own record first, behind the reading of the other one. Of
   * two who do that to each other one thereby comes too late, in whatever order
   * (docs/adr/0073-an-administrator-asserts-it-first.md).
   */
  private async assertAdministration(
    state: PrincipalState,
    { actor, principalId, document }: PutPrincipal,
    context: DecisionContext,
  ): Promise<boolean> {
    if (!takesAdministration(state, principalId, document)) return true;
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, actor.id),
      PRINCIPAL.fold,
      context,
      async () => null,
      (own) => decideAssertAdministration(own, { principalId: actor.id, against: principalId }),
    );
    return executed.outcome !== 'rejected';
  }

  private async claimSubject(
    state: PrincipalState,
    { principalId, document: { oidcSubject } }: PutPrincipal,
    context: DecisionContext,
  ): Promise<boolean> {
    if (oidcSubject === null) return true;
    const hasIt = state.document?.data.oidcSubject === oidcSubject;
    return this.subjects.claim(oidcSubject, { principalId, hasIt }, context);
  }
}
