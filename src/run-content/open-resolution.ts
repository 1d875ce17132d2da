import { EventUnreadable } from '../event-store/codec.js';
import { ERASED } from '../event-store/sealing.js';
import type { Streams } from '../event-store/streams.js';
import type { JsonObject } from '../events/json.js';
import type { CallContent, ModelResponded, RunEvent, ToolCallStarted, ToolEffect } from '../events/run-events.js';
import { runStream } from '../events/run-events.js';
import type { ResolutionWaitingRun } from '../run/run-state.js';
import type { PauseCorruption } from './open-pause.js';

/** The turn of a write that nobody saw finish, in the clear. */
export type OpenedResolution =
  | {
      readonly pause: 'sound';
      /** Every call of the turn, in the model's order. */
      readonly calls: readonly CallContent[];
      /** Those with which the write was begun. */
      readonly arguments: JsonObject;
      readonly effect: ToolEffect;
    }
  | {
      readonly pause: 'corrupt';
      readonly errorClass: Extract<PauseCorruption, 'unreadable_content' | 'content_erased'>;
    };

/**
 * Opens what an admin has to know of a write whose outcome is unknown (CLM-4).
 *
 * @param events of the run, in order.
 * @throws {StoreUnavailable}
 */
export async function openResolution(
  streams: Pick<Streams, 'codec' | 'keys'>,
  run: ResolutionWaitingRun,
  events: readonly RunEvent[],
): Promise<OpenedResolution> {
  const isTheWrite = (event: RunEvent) => event.type === 'ToolCallStarted' && event.data.callId === run.callId;
  const started = events.findLast(isTheWrite);
  if (run.turn === null || started?.type !== 'ToolCallStarted') return corrupt('unreadable_content');
  const keys = await streams.keys.find(runStream(run.runId));
  try {
    const responded = streams.codec.open(run.turn.responded, keys);
    const begun = streams.codec.open(started, keys);
    if (responded === ERASED || begun === ERASED) return corrupt('content_erased');
    return {
      pause: 'sound',
      calls: (responded as unknown as ModelResponded['content']).calls,
      arguments: (begun as ToolCallStarted['content']).arguments,
      effect: started.data.effect,
    };
  } catch (error) {
    if (error instanceof EventUnreadable) return corrupt('unreadable_content');
    throw error;
  }
}

function corrupt(errorClass: 'unreadable_content' | 'content_erased'): OpenedResolution {
  return { pause: 'corrupt', errorClass };
}
