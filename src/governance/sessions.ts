import { Injectable } from '@nestjs/common';
import { timestamp } from '../event-store/clock.js';
import { Streams } from '../event-store/streams.js';
import { accepted, type Decision, nothingToDo } from '../events/decider.js';
import type { SessionCredential, SessionEventType } from '../events/sign-in-events.js';
import type { Principal } from './principal.js';
import { PRINCIPAL } from './principal-record.js';
import { RecordReader, recordStream } from './records.js';
import { openSessionOf, principalBehind, SESSION, type SessionState } from './session-record.js';
import { hashOfToken } from './tokens.js';

/** A session that has just begun. */
export interface Session {
  /** What the browser brings back: 256 random bits in base64url, of which only the hash is stored. */
  readonly secret: string;
  readonly principal: Principal;
  /** Epoch milliseconds. */
  readonly expiresAtMs: number;
}

/** However much a session is used, whoever has it signs in again after this time. */
export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * Sessions of people who signed in to the inbox. They are records like all others, so that a session that was ended, a
 * person who was disabled and a token that was revoked count with the next request, in every process.
 */
@Injectable()
export class Sessions {
  constructor(
    private readonly records: RecordReader,
    private readonly streams: Streams,
  ) {}

  /**
   * @param credential what was just checked
   * @returns null for whoever may not sign in: a disabled person, a service account
   * @throws {StoreUnavailable}
   */
  async begin(principalId: string, credential: SessionCredential, correlationId: string): Promise<Session | null> {
    const nowMs = this.streams.clock.now();
    const { state } = await this.records.read(PRINCIPAL, principalId);
    const principal = principalBehind({ principalId, credential }, state, nowMs);
    if (principal === null) return null;
    const secret = this.streams.entropy.token(SECRET_BYTES);
    const expiresAtMs = nowMs + SESSION_LIFETIME_MS;
    await this.change(secret, principalId, correlationId, () =>
      accepted<SessionEventType, object>(
        [{ type: 'SessionBegun', data: { principalId, credential, expiresAt: timestamp(expiresAtMs) } }],
        {},
      ),
    );
    return { secret, principal, expiresAtMs };
  }

  /** Whose session this is, as the directory has them now. @throws {StoreUnavailable} @throws {EventUnreadable} */
  async find(secret: string): Promise<Principal | null> {
    if (!SECRET.test(secret)) return null;
    const nowMs = this.streams.clock.now();
    const session = openSessionOf((await this.records.read(SESSION, hashOfToken(secret))).state, nowMs);
    if (session === null) return null;
    return principalBehind(session, (await this.records.read(PRINCIPAL, session.principalId)).state, nowMs);
  }

  /** Ends it for good; a session that is over or never was is left as it is. @throws {StoreUnavailable} */
  async end(secret: string, correlationId: string): Promise<void> {
    if (!SECRET.test(secret)) return;
    const session = openSessionOf(
      (await this.records.read(SESSION, hashOfToken(secret))).state,
      this.streams.clock.now(),
    );
    if (session === null) return;
    await this.change(secret, session.principalId, correlationId, ({ ended }) =>
      ended ? nothingToDo({}) : accepted<SessionEventType, object>([{ type: 'SessionEnded', data: {} }], {}),
    );
  }

  private async change(
    secret: string,
    principalId: string,
    correlationId: string,
    decide: (state: SessionState) => Decision<SessionEventType, object, never>,
  ): Promise<void> {
    await this.streams.execute(
      recordStream(SESSION, hashOfToken(secret)),
      SESSION.fold,
      { actor: { kind: 'principal', id: principalId }, correlationId },
      async () => null,
      decide,
    );
  }
}
