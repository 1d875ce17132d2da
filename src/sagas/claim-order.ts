/*
 * Rendezvous hashing: each worker has a weight for each run, which their names alone decide, and the heaviest goes first.
 * Whoever knows the same workers finds the same order, without a word between them; and where one comes or goes, the
 * others keep their places relative to each other.
 */

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A worker's weight for a run: an unsigned 32-bit number, the same on every machine. */
export function claimWeight(workerId: string, runId: string): number {
  return scattered(fnv1a(` ${workerId}`, fnv1a(runId, FNV_OFFSET)));
}

/** Whether the first worker goes before the second one: the heavier, and of equally heavy ones the first by name. */
export function goesBefore(workerId: string, otherId: string, runId: string): boolean {
  const [own, other] = [claimWeight(workerId, runId), claimWeight(otherId, runId)];
  return own > other || (own === other && workerId < otherId);
}

function fnv1a(text: string, from: number): number {
  let hash = from;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash;
}

/** The last step of MurmurHash3. Without it names that differ in their last characters alone have weights close together. */
function scattered(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
