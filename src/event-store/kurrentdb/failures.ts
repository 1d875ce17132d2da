import { NotLeaderError } from '@eventstore/db-client';
import { StoreUnavailable } from '../errors.js';

/** Status codes of gRPC. */
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

const REASONS: ReadonlyMap<number, string> = new Map([
  [1, 'the call was cancelled'],
  [INVALID_ARGUMENT, 'it does not accept the call'],
  [4, 'it did not answer in time'],
  [PERMISSION_DENIED, 'it denies access'],
  [10, 'it could not do it in time'],
  [UNIMPLEMENTED, 'it does not know the call'],
  [UNAVAILABLE, 'it cannot be reached or is not ready'],
  [UNAUTHENTICATED, 'it does not accept user and password'],
]);

const REFUSED: ReadonlySet<number> = new Set([INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED]);

/** What the server (the first two) and the gRPC library say of a call that was never carried out. */
const NEVER_BEGUN =
  /Server Is (Not Ready|Too Busy)|No connection established|Name resolution failed|Channel closed before call started/;

/** What the client says when no node of a cluster told it who leads; there was nobody to send the call to. */
const NOT_DISCOVERED = /^Failed to discover/;

/** The client has not said what happened to a call, and perhaps never will. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/**
 * What a call of the client threw, in the words of the port. Errors at first contact are plain ones, hence we look at
 * the code of gRPC, and at the text where the code leaves open whether the call had begun.
 *
 * @param mayHaveWritten the call was to change something: then its outcome is unknown, unless it is sure that it was
 *   refused or never reached the server.
 */
export function asUnavailable(error: unknown, mayHaveWritten: boolean): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const code = codeOf(error);
  const reason = error instanceof NotLeaderError ? 'another node leads' : reasonOf(error, code);
  const outcomeUnknown = mayHaveWritten && !surelyNotDone(error, code);
  return new StoreUnavailable(`the event store failed: ${reason}`, outcomeUnknown, { cause: error });
}

/** A reason that newer servers give and the client knows no class for. */
export function exceptionOf(error: unknown): string | undefined {
  const raw = (error as { _raw?: { metadata?: { getMap?(): Record<string, unknown> } } } | null)?._raw;
  const exception = raw?.metadata?.getMap?.().exception;
  return typeof exception === 'string' ? exception : undefined;
}

function reasonOf(error: unknown, code: number | undefined): string {
  if (error instanceof Unanswered) return 'it did not answer in time';
  return REASONS.get(code ?? UNAVAILABLE) ?? 'for a reason of its own';
}

function surelyNotDone(error: unknown, code: number | undefined): boolean {
  if (error instanceof NotLeaderError) return true;
  const text = error instanceof Error ? error.message : '';
  if (code === undefined) return NOT_DISCOVERED.test(text);
  return code === UNAVAILABLE ? NEVER_BEGUN.test(text) : REFUSED.has(code);
}

function codeOf(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : undefined;
}
