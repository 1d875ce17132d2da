import { createHash, timingSafeEqual } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '../events/json.js';

/** What a person sees of a paused turn, and so what an answer to it is about. */
export interface SeenTurn {
  readonly kind: 'input' | 'approval';
  /** 128 random bits as text; sealed in the pause event. */
  readonly nonce: string;
  /** All calls of the turn, in the model's order. */
  readonly calls: readonly SeenCall[];
  /** The calls that wait for a person, in the model's order. */
  readonly requests: readonly SeenRequest[];
}

export interface SeenCall {
  readonly callId: string;
  readonly toolName: string;
  /** The object that the model's text means, or the text itself where it is no I-JSON object; so an object is always the model's own. */
  readonly arguments: JsonObject | string;
}

export interface SeenRequest {
  readonly callId: string;
  readonly toolName: string;
  /** For input only. */
  readonly inputSchema?: JsonObject;
}

/**
 * The digest of a turn (TRN-1): lower-case hex SHA-256 of the UTF-8 of the RFC 8785 form. Neither the transcript nor counters nor the
 * run's id are in it (TRN-2). Members are picked one by one, so that what callers carry along does not change it.
 *
 * @throws {Error} for what I-JSON does not hold inside parsed arguments or a schema; no recorded turn has such.
 */
export function turnDigest(turn: SeenTurn): string {
  return createHash('sha256').update(canonicalTurn(turn), 'utf8').digest('hex');
}

/** The text that is hashed; two turns share it only when they are the same turn. */
export function canonicalTurn({ kind, nonce, calls, requests }: SeenTurn): string {
  const canonical = canonicalize({
    v: 1,
    kind,
    nonce,
    calls: calls.map(({ callId, toolName, arguments: args }) => wellFormed({ callId, toolName, arguments: args })),
    requests: requests.map(({ callId, toolName, inputSchema }) =>
      wellFormed({ callId, toolName, ...(inputSchema === undefined ? {} : { inputSchema }) }),
    ),
  });
  if (canonical === undefined) throw new Error('a turn has no canonical form');
  return canonical;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * RFC 8785 has no form for a text with lone surrogates, yet a model can write one as a tool's name or as arguments that do not parse. Its
 * texts are then written as JSON literals, which escape them, and marked: nothing else carries that mark.
 */
function wellFormed(members: JsonObject): JsonObject {
  const isIllFormed = (member: unknown) => typeof member === 'string' && LONE_SURROGATE.test(member);
  if (!Object.values(members).some(isIllFormed)) return members;
  const literals = Object.entries(members).map(([name, member]) => [
    name,
    typeof member === 'string' ? JSON.stringify(member) : member,
  ]);
  return { ...Object.fromEntries(literals), escaped: true };
}

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Whether somebody names the digest of this turn (TRN-3). Anything but the exact 64 lower-case hex characters, absence included, is
 * simply not it. The comparison takes the same time wherever two digests differ.
 */
export function sameDigest(presented: unknown, expected: string): boolean {
  if (typeof presented !== 'string' || !DIGEST.test(presented) || !DIGEST.test(expected)) return false;
  return timingSafeEqual(Buffer.from(presented, 'latin1'), Buffer.from(expected, 'latin1'));
}
