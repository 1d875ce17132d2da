import { Injectable } from '@nestjs/common';
import { Streams } from '../event-store/streams.js';
import { decideFoundDirectory } from './decisions/found-directory.js';
import { PRINCIPAL } from './principal-record.js';
import { recordStream } from './records.js';
import { BOOTSTRAP_PLACE, hashOfToken, makeToken } from './tokens.js';

export interface Bootstrapped {
  /** False where the directory had an administrator already, also one that another process made just now. */
  readonly founded: boolean;
  /** The token that was made because none was given: to be printed now, since it is stored nowhere. */
  readonly generatedToken: string | null;
}

/** Gives the first start of a service its first administrator. */
@Injectable()
export class Bootstrap {
  constructor(private readonly streams: Streams) {}

  /**
   * @param given the operator's token for `admin`; undefined to have one made
   * @throws {StoreUnavailable} repeating it is safe
   */
  async run(given: string | undefined): Promise<Bootstrapped> {
    const { principalId, tokenId } = BOOTSTRAP_PLACE;
    const made = given === undefined ? makeToken(this.streams.entropy, principalId, tokenId) : null;
    const hash = made?.hash ?? hashOfToken(given ?? '');
    const executed = await this.streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      { actor: { kind: 'system', id: 'bootstrap' }, correlationId: this.streams.entropy.uuid() },
      async () => null,
      (state) => decideFoundDirectory(state, { tokenId, hash }),
    );
    const founded = executed.outcome === 'accepted';
    return { founded, generatedToken: founded ? (made?.token ?? null) : null };
  }
}
