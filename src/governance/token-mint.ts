import { Injectable } from '@nestjs/common';
import { Streams } from '../event-store/streams.js';
import { makeToken, type NewToken, newTokenId } from './tokens.js';

/** Makes tokens. Whoever asks has to tell the token to somebody now: nothing keeps it. */
@Injectable()
export class TokenMint {
  constructor(private readonly streams: Streams) {}

  make(principalId: string, tokenId = this.tokenId()): NewToken {
    return makeToken(this.streams.entropy, principalId, tokenId);
  }

  /** An id for a token that is to be made: whoever asks twice with the same one gets one token. */
  tokenId(): string {
    return newTokenId(this.streams.entropy);
  }
}
