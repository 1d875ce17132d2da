import { Injectable } from '@nestjs/common';
import type { DecisionContext } from '../event-store/loaded.js';
import { Streams } from '../event-store/streams.js';
import {
  type ClaimSubject,
  decideClaimSubject,
  decidePassSubjectOn,
  type EarlierClaim,
} from './decisions/claim-subject.js';
import { PRINCIPAL } from './principal-record.js';
import { recordStream } from './records.js';
import { hashOfSubject, SUBJECT } from './subject-record.js';

/**
 * Sees to it that no two principals have the same subject of the issuer, though each has a stream of its own
 * (docs/adr/0028-a-subject-is-claimed-first.md).
 *
 * A subject is claimed on its own stream before the record of a principal names it. A claim that led to nothing is in
 * nobody's way: the next one takes it over, after an event on the record of whoever made it. That event comes either
 * before their change, which then is decided anew, or behind it, and then it shows that they have the subject.
 */
@Injectable()
export class Subjects {
  constructor(private readonly streams: Streams) {}

  /**
   * To be called each time that a change to the principal's record is decided, after the record was read.
   *
   * @returns false where somebody else has the subject @throws {StoreUnavailable}
   */
  async claim(subject: string, claim: ClaimSubject, context: DecisionContext): Promise<boolean> {
    const executed = await this.streams.execute(
      recordStream(SUBJECT, hashOfSubject(subject)),
      SUBJECT.fold,
      context,
      async ({ state: { claimedBy } }) => ({
        earlier: await this.passOn(subject, claimedBy, claim.principalId, context),
      }),
      (state, facts) => decideClaimSubject(state, claim, facts),
    );
    return executed.outcome !== 'rejected';
  }

  private async passOn(
    subject: string,
    from: string | null,
    to: string,
    context: DecisionContext,
  ): Promise<EarlierClaim> {
    if (from === null || from === to) return 'none';
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, from),
      PRINCIPAL.fold,
      context,
      async () => null,
      (state) => decidePassSubjectOn(state, { subject, from, to }),
    );
    return executed.outcome === 'rejected' ? 'stands' : 'passed_on';
  }
}
