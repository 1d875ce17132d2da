import { type EventCodec, EventUnreadable } from '../event-store/codec.js';
import type { StreamKeys } from '../event-store/key-store.js';
import { ERASED } from '../event-store/sealing.js';
import type { Streams } from '../event-store/streams.js';
import type {
  CallContent,
  ErrorClass,
  ModelResponded,
  RunEvent,
  RunSuspendedForApproval,
} from '../events/run-events.js';
import { runStream } from '../events/run-events.js';
import { isUsableInputSchema } from '../run/input-schema.js';
import type { Pause, RunProgress, Turn } from '../run/run-state.js';
import { sameDigest, turnDigest } from '../run/turn-digest.js';

export type PauseCorruption = Extract<
  ErrorClass,
  'unusable_schema' | 'digest_mismatch' | 'unreadable_content' | 'content_erased'
>;

export type Preview = RunSuspendedForApproval['content']['previews'][number];

/** A pause with its sealed parts in the clear, or why it may be neither shown, answered nor executed. */
export type OpenedPause =
  | {
      readonly pause: 'sound';
      /** Every call of the turn, in the model's order. */
      readonly calls: readonly CallContent[];
      readonly nonce: string;
      /** Of an approval; empty for input. */
      readonly previews: readonly Preview[];
    }
  | { readonly pause: 'corrupt'; readonly errorClass: PauseCorruption };

/**
 * Opens the pause that a run's turn names, waiting or answered, and judges it: its schemas are usable (INP-5) and its
 * digest comes out the same when it is computed again (TRN-1).
 *
 * @throws {StoreUnavailable} the keys cannot be looked up.
 * @throws {Error} the run's turn has no pause: a mistake of the caller.
 */
export async function openPause(
  streams: Pick<Streams, 'codec' | 'keys'>,
  run: Pick<RunProgress, 'runId' | 'turn'>,
): Promise<OpenedPause> {
  const { turn } = run;
  const pause = turn?.pause ?? null;
  if (turn === null || pause === null) throw new Error(`the turn of run ${run.runId} has no pause`);
  const keys = await streams.keys.find(runStream(run.runId));
  try {
    const responded = contentOf<ModelResponded['content']>(streams.codec, turn.responded, keys);
    const suspended = contentOf<PauseContent>(streams.codec, pause.suspended, keys);
    return judged(turn, pause, responded, suspended);
  } catch (error) {
    if (error instanceof EventUnreadable) return corrupt('unreadable_content');
    throw error;
  }
}

/** What a pause event seals: previews for approval alone. */
type PauseContent = { readonly nonce: string; readonly previews?: readonly Preview[] };

function judged(
  turn: Turn,
  pause: Pause,
  responded: ModelResponded['content'] | typeof ERASED,
  suspended: PauseContent | typeof ERASED,
): OpenedPause {
  if (responded === ERASED || suspended === ERASED) return corrupt('content_erased');
  if (pause.kind === 'input' && !pause.requests.every((request) => isUsableInputSchema(request.inputSchema).usable)) {
    return corrupt('unusable_schema');
  }
  const { calls } = responded;
  const digest = digestOf(pause, suspended.nonce, calls);
  if (!namesTheSameCalls(turn, calls) || digest === null || !sameDigest(digest, pause.turnDigest)) {
    return corrupt('digest_mismatch');
  }
  return { pause: 'sound', calls, nonce: suspended.nonce, previews: suspended.previews ?? [] };
}

/** Gates go by the clear fields, and what executes is the sealed calls: they must be about the same (TRN-4). */
function namesTheSameCalls(turn: Turn, calls: readonly CallContent[]): boolean {
  return (
    turn.calls.length === calls.length &&
    turn.calls.every(
      ({ callId, toolName }, index) =>
        callId === calls[index]?.callId && (toolName === null || toolName === calls[index]?.toolName),
    )
  );
}

/** Null for a turn that has no canonical form, which none that we recorded can be. */
function digestOf(pause: Pause, nonce: string, calls: readonly CallContent[]): string | null {
  try {
    return turnDigest({ kind: pause.kind, nonce, calls, requests: pause.requests });
  } catch {
    return null;
  }
}

function contentOf<Content>(
  codec: Pick<EventCodec, 'open'>,
  event: RunEvent,
  keys: StreamKeys,
): Content | typeof ERASED {
  return codec.open(event, keys) as Content | typeof ERASED;
}

function corrupt(errorClass: PauseCorruption): OpenedPause {
  return { pause: 'corrupt', errorClass };
}
