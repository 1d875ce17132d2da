import { Injectable } from '@nestjs/common';
import { Streams } from '../event-store/streams.js';
import { makeToken, type NewToken } from './tokens.js';

/** Makes tokens. Whoever asks has to tell the token to somebody now: nothing keeps it. */
@Injectable()
export class TokenMint {
  constructor(private readonly streams: Streams) {}

  make(principalId: string): NewToken {
    return makeToken(this.streams.entropy, principalId);
  }
}
