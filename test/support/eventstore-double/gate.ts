import type { Metadata } from '@grpc/grpc-js';
import { type Faults, HEALTHY, type Method } from './faults.js';
import type { FrontDoor } from './front-door.js';
import { accessDenied, notLeader, notReady, type Refusal, unauthenticated } from './refusals.js';

/** Who is known where connections are encrypted; elsewhere nobody says who they are. */
const PASSWORDS = new Map([
  ['admin', 'changeit'],
  ['writer', 'p:w/d'],
]);

/** A connection was cut on purpose: nothing more happens in this call. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

/** Decides, before a call does anything, whether it may, and what goes wrong with it. */
export class Gate {
  faults: Faults = HEALTHY;
  readonly calls: Record<string, number> = {};

  constructor(
    private readonly secure: boolean,
    private readonly door: () => FrontDoor,
  ) {}

  /** Why the call is refused, if it is. A call that hangs waits here for ever. */
  async refusal(method: Method, metadata: Metadata, wholeLog = false): Promise<Refusal | undefined> {
    const { hang, notReady: away, deny, leader, delayMs } = this.faults;
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    if (hang.includes(method)) await new Promise(() => {});
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (away) return notReady;
    if (leader !== null && metadata.get('requires-leader')[0] === 'true') return notLeader(leader.host, leader.port);
    const user = this.#user(metadata);
    if (user === null) return unauthenticated;
    // As a server is set up at first, only administrators read the whole log.
    if (deny || (wholeLog && user !== 'admin')) return accessDenied;
    return undefined;
  }

  /** @throws {Cut} */
  beforeCommit(): void {
    if (this.faults.dropBeforeCommit === 0) return;
    this.faults = { ...this.faults, dropBeforeCommit: this.faults.dropBeforeCommit - 1 };
    this.door().cutAll();
    throw new Cut();
  }

  /** Whether the answer gets lost. @throws {Cut} */
  afterCommit(): boolean {
    if (this.faults.dropAfterCommit === 0) return this.faults.loseAnswers;
    this.faults = { ...this.faults, dropAfterCommit: this.faults.dropAfterCommit - 1 };
    this.door().cutAll();
    throw new Cut();
  }

  #user(metadata: Metadata): string | null {
    if (!this.secure) return 'admin';
    const [kind, encoded = ''] = `${metadata.get('authorization')[0] ?? ''}`.split(' ');
    const [name = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    return kind === 'Basic' && PASSWORDS.get(name) === password.join(':') ? name : null;
  }
}
