import type { DataKey } from '../event-store/key-store.js';
import { keyedDigest } from '../event-store/sealing.js';

/** A secret of the whole installation, derived from its master key. */
export class ServerSecret {
  constructor(private readonly key: DataKey) {}

  /**
   * The id of the run that a principal starts under an idempotency key: the same for every repeat, guessable by nobody
   * and chosen by nobody. 32 hex digits, as every run id.
   */
  runIdFor(principalId: string, idempotencyKey: string): string {
    const digest = keyedDigest(this.key, 'run-id', JSON.stringify([principalId, idempotencyKey]));
    return Buffer.from(digest, 'base64url').subarray(0, 16).toString('hex');
  }
}
