import { Injectable } from '@nestjs/common';
import { Streams } from '../event-store/streams.js';
import type { Principal } from './principal.js';
import { isUsable, PRINCIPAL, principalOf, type TokenRecord } from './principal-record.js';
import { RecordReader } from './records.js';
import { hashOfSubject, SUBJECT } from './subject-record.js';
import { isHashOf, placeOfToken } from './tokens.js';

/** A principal as administrators see it. */
export interface PrincipalRecord {
  readonly principal: Principal;
  /** Revision of the event that put this document. */
  readonly revision: number;
  readonly tokens: readonly TokenRecord[];
}

/** The directory of people and service accounts, as it is at this moment (SUB-6). */
@Injectable()
export class Principals {
  constructor(
    private readonly records: RecordReader,
    private readonly streams: Streams,
  ) {}

  /** Null where the directory knows nobody of the id. @throws {StoreUnavailable} @throws {EventUnreadable} */
  async find(id: string): Promise<Principal | null> {
    return principalOf(id, (await this.records.read(PRINCIPAL, id)).state);
  }

  /**
   * Whose subject of the issuer this is. Who claimed it is only where to look: the record of the principal itself has to
   * name it at this moment.
   *
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async withSubject(subject: string): Promise<Principal | null> {
    const { claimedBy } = (await this.records.read(SUBJECT, hashOfSubject(subject))).state;
    const principal = claimedBy === null ? null : await this.find(claimedBy);
    return principal?.oidcSubject === subject ? principal : null;
  }

  /** @throws {StoreUnavailable} @throws {EventUnreadable} */
  async read(id: string): Promise<PrincipalRecord | null> {
    const { state } = await this.records.read(PRINCIPAL, id);
    const principal = principalOf(id, state);
    if (principal === null || state.document === null) return null;
    return { principal, revision: state.document.revision, tokens: [...state.tokens.values()] };
  }

  /**
   * Whose token this is: null for an unknown, expired or revoked one, all of which look the same and take the same look-up
   * and the same comparison. Whether the principal is enabled is the caller's next question.
   *
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async authenticate(token: string): Promise<Principal | null> {
    const { principalId, tokenId } = placeOfToken(token);
    const { state } = await this.records.read(PRINCIPAL, principalId);
    const known = state.tokens.get(tokenId);
    const matches = isHashOf(token, known?.hash);
    if (!matches || known === undefined || !isUsable(known, this.streams.clock.now())) return null;
    return principalOf(principalId, state);
  }
}
