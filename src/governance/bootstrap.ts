import { Injectable } from '@nestjs/common';
import type { DecisionContext } from '../event-store/loaded.js';
import { Streams } from '../event-store/streams.js';
import {
  decideFoundDirectory,
  type FirstCredentials,
  type FoundDirectoryRejection,
} from './decisions/found-directory.js';
import { PRINCIPAL, type PrincipalState } from './principal-record.js';
import { recordStream } from './records.js';
import { Subjects } from './subjects.js';
import { BOOTSTRAP_PLACE, hashOfToken, makeToken } from './tokens.js';

/** By what the first administrator comes in, as the operator says it. */
export interface FirstAdministrator {
  /** Undefined: none was given. */
  readonly token: string | undefined;
  /** Null: there is no issuer, so that without a token one has to be made. */
  readonly issuer: { readonly subject: string | undefined } | null;
}

export interface Bootstrapped {
  /** False where the directory had an administrator already, also one that another process made just now. */
  readonly founded: boolean;
  /** The token that was made because none was given: to be printed now, since it is stored nowhere. */
  readonly generatedToken: string | null;
}

/** The first start cannot make an administrator whom anybody could be. The message is a sentence for whoever starts it. */
export class NoAdministrator extends Error {
  override readonly name = 'NoAdministrator';
  constructor(readonly fault: FoundDirectoryRejection['code']) {
    super(SENTENCES[fault]);
  }
}

const SENTENCES: Record<FoundDirectoryRejection['code'], string> = {
  no_credentials:
    'There is no administrator yet: set HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT to the subject that the first one has at the issuer, or HOLDPOINT_BOOTSTRAP_TOKEN.',
  subject_taken: 'HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT is the subject of somebody else.',
};

const ACTOR = { kind: 'system', id: 'bootstrap' } as const;

/** Gives the first start of a service its first administrator. */
@Injectable()
export class Bootstrap {
  constructor(
    private readonly streams: Streams,
    private readonly subjects: Subjects,
  ) {}

  /**
   * @throws {NoAdministrator} there is none yet, and neither a token nor a subject was given beside an issuer
   * @throws {StoreUnavailable} repeating it is safe
   */
  async run({ token, issuer }: FirstAdministrator): Promise<Bootstrapped> {
    const { principalId, tokenId } = BOOTSTRAP_PLACE;
    const made = token === undefined && issuer === null ? makeToken(this.streams.entropy, principalId, tokenId) : null;
    const hash = made?.hash ?? (token === undefined ? null : hashOfToken(token));
    const given: FirstCredentials = {
      token: hash === null ? null : { tokenId, hash },
      oidcSubject: issuer?.subject ?? null,
    };
    const context = { actor: ACTOR, correlationId: this.streams.entropy.uuid() };
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      context,
      async ({ state }) => ({ subjectTaken: !(await this.claim(given.oidcSubject, state, context)) }),
      (state, facts) => decideFoundDirectory(state, given, facts),
    );
    if (executed.outcome === 'rejected') throw new NoAdministrator(executed.rejection.code);
    const founded = executed.outcome === 'accepted';
    return { founded, generatedToken: founded ? (made?.token ?? null) : null };
  }

  private async claim(
    subject: string | null,
    { document }: PrincipalState,
    context: DecisionContext,
  ): Promise<boolean> {
    if (subject === null || document !== null) return true;
    return this.subjects.claim(subject, { principalId: BOOTSTRAP_PLACE.principalId, hasIt: false }, context);
  }
}
