import type { Entropy } from '../event-store/entropy.js';
import type { NewRunEvent } from '../events/run-events.js';
import { turnDigest } from '../run/turn-digest.js';
import type { RunSurroundings } from './live-records.js';
import { fitPreviews, previewTool } from './preview.js';
import type { Segment } from './segment.js';

/** Pauses the run until somebody has decided about its turn, with what each of the calls would do (APP-1, APP-4). */
export async function suspendForApproval(
  segment: Segment,
  bound: readonly { readonly callId: string; readonly toolName: string }[],
  surroundings: RunSurroundings,
  entropy: Entropy,
): Promise<void> {
  const run = segment.run();
  const previews = await Promise.all(
    bound.map(async ({ callId, toolName }) => ({
      callId,
      lines: await previewTool(
        surroundings.find(toolName),
        segment.transcript.call(callId).arguments,
        segment.callContext(callId),
      ),
    })),
  );
  const nonce = entropy.token(16);
  const requests = bound.map(({ callId, toolName }) => ({
    callId,
    toolName,
    effect: surroundings.find(toolName)?.declaration.effect ?? ('non_idempotent_write' as const),
  }));
  const digest = turnDigest({
    kind: 'approval',
    nonce,
    calls: (run.turn?.calls ?? []).map(({ callId }) => segment.transcript.call(callId)),
    requests: bound,
  });
  const suspended: NewRunEvent = {
    type: 'RunSuspendedForApproval',
    data: { turnDigest: digest, requests },
    content: { nonce, previews: fitPreviews(previews) },
  };
  await segment.appendOrFail([suspended], ['suspend_failed', 'at_pause']);
}
