import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness as it is asked for below the edge; a simulation brings its own, from a seed. */
export abstract class Entropy {
  /** A version 4 UUID. */
  abstract uuid(): string;

  /** Unguessable bytes, base64url without padding. */
  abstract token(bytes: number): string;

  /** A number in [0, 1), for jitter. */
  abstract fraction(): number;
}

export class SystemEntropy extends Entropy {
  override uuid(): string {
    return randomUUID();
  }

  override token(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }

  override fraction(): number {
    return Math.random();
  }
}
