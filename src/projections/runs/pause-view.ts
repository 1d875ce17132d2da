import type { CallContent } from '../../events/run-events.js';
import type { ApprovalWaitingRun, InputWaitingRun, ResolutionWaitingRun } from '../../run/run-state.js';
import type { OpenedPause } from '../../run-content/open-pause.js';
import type { OpenedResolution } from '../../run-content/open-resolution.js';
import type { CallView, PauseView, RequestView } from './get-pause.query.js';

/**
 * What is shown of a pause for input or approval.
 *
 * @param missingTools of the turn, those that are not registered any more
 */
export function pauseView(
  run: InputWaitingRun | ApprovalWaitingRun,
  { calls, previews }: Extract<OpenedPause, { pause: 'sound' }>,
  missingTools: readonly string[],
): PauseView {
  const { kind, turnDigest, since } = run.pause;
  const ask = run.status === 'waiting_for_input' ? inputRequest(run) : approvalRequest(run, previews);
  const view = { kind, turnDigest, since, ...splitCalls(calls, ask) };
  return missingTools.length === 0 ? view : { ...view, missingTools };
}

/** What is shown of a write of which nobody knows whether it happened (CLM-4). */
export function resolutionView(
  run: ResolutionWaitingRun,
  opened: Extract<OpenedResolution, { pause: 'sound' }>,
): PauseView {
  const { effect } = opened;
  const ask = (call: CallContent): RequestView | null =>
    call.callId === run.callId ? { ...callView(call), arguments: opened.arguments, effect } : null;
  return { kind: 'resolution', turnDigest: null, since: run.since, ...splitCalls(opened.calls, ask) };
}

/** Null for a call about which nothing is asked. */
type Ask = (call: CallContent) => RequestView | null;

function inputRequest(run: InputWaitingRun): Ask {
  return (call) => {
    const request = run.pause.requests.find(({ callId }) => callId === call.callId);
    return request === undefined ? null : { ...callView(call), inputSchema: request.inputSchema };
  };
}

function approvalRequest(run: ApprovalWaitingRun, previews: Extract<OpenedPause, { pause: 'sound' }>['previews']): Ask {
  return (call) => {
    const request = run.pause.requests.find(({ callId }) => callId === call.callId);
    if (request === undefined) return null;
    const preview = previews.find(({ callId }) => callId === call.callId)?.lines;
    return { ...callView(call), effect: request.effect, ...(preview === undefined ? {} : { preview }) };
  };
}

function splitCalls(calls: readonly CallContent[], ask: Ask): Pick<PauseView, 'requests' | 'otherCalls'> {
  const requests: RequestView[] = [];
  const otherCalls: CallView[] = [];
  for (const call of calls) {
    const request = ask(call);
    if (request === null) otherCalls.push(callView(call));
    else requests.push(request);
  }
  return { requests, otherCalls };
}

function callView({ callId, toolName, arguments: given }: CallContent): CallView {
  return { callId, toolName, arguments: given };
}
