import canonicalize from 'canonicalize';
import { keyedDigest } from '../event-store/sealing.js';
import type { Streams } from '../event-store/streams.js';
import type { JsonValue } from '../events/json.js';
import { runStream } from '../events/run-events.js';
import { exceededBound } from '../run/json-bounds.js';

/** Far above what an answer may have (the schema check says so to whoever posted it); bounds the work of the digest. */
const RECOGNISABLE = { maxDepth: 256, maxNodes: 100_000 };

/**
 * The keyed digest by which the repeat of an answer is recognised, of this turn or of one answered long ago, without
 * keeping what was answered. Null where there is nothing to recognise, or the outcome key is gone.
 *
 * @throws {StoreUnavailable}
 */
export async function answerMac(
  streams: Streams,
  runId: string,
  turnDigest: unknown,
  answer: JsonValue | null,
): Promise<string | null> {
  if (answer === null || typeof turnDigest !== 'string') return null;
  if (exceededBound(answer, RECOGNISABLE) !== undefined) return null;
  const { outcome } = await streams.keys.find(runStream(runId));
  return outcome === undefined ? null : keyedDigest(outcome, 'answer', canonicalize([turnDigest, answer]) ?? '');
}
