import { accepted, type Decision, rejected } from '../../events/decider.js';
import type { JsonValue } from '../../events/json.js';
import type { NewRunEvent, RunEventType } from '../../events/run-events.js';
import { isSettled, type RunState, type RunStatus } from '../run-state.js';

/** What an administrator found out about a write that nobody saw finish. */
export type Verdict =
  /** It happened; `result` is what the model is told. */
  | { readonly verdict: 'executed'; readonly result: JsonValue }
  /** It did not happen; the model is told so. */
  | { readonly verdict: 'not_executed' }
  /** Nobody can say, or the run must not go on. */
  | { readonly verdict: 'fail' };

export interface ResolveCall {
  readonly principalId: string;
  readonly callId: string;
  readonly finding: Verdict;
  /** How it was found out; kept as content. */
  readonly note: string;
}

export type ResolveRejection =
  | { readonly code: 'run_not_found' }
  | { readonly code: 'run_settled'; readonly status: RunStatus }
  | { readonly code: 'not_awaiting_resolution'; readonly status: RunStatus }
  /** The run waits for the outcome of another call. */
  | { readonly code: 'another_call'; readonly callId: string };

/** The write is never executed again: whatever was found becomes its one result, and the run goes on or ends (CLM-4). */
export function decideResolveCall(
  state: RunState,
  { principalId, callId, finding, note }: ResolveCall,
): Decision<RunEventType, { readonly status: RunStatus }, ResolveRejection> {
  if (state.status === 'not_started') return rejected({ code: 'run_not_found' });
  if (isSettled(state)) return rejected({ code: 'run_settled', status: state.status });
  if (state.status !== 'waiting_for_resolution') {
    return rejected({ code: 'not_awaiting_resolution', status: state.status });
  }
  if (state.callId !== callId) return rejected({ code: 'another_call', callId: state.callId });
  const resolved: NewRunEvent = {
    type: 'CallResolved',
    data: { callId, verdict: finding.verdict, resolvedBy: principalId },
    content: { result: finding.verdict === 'executed' ? finding.result : null, note },
  };
  if (finding.verdict !== 'fail')
    return accepted<RunEventType, { status: RunStatus }>([resolved], { status: 'queued' });
  return accepted<RunEventType, { status: RunStatus }>(
    [resolved, { type: 'RunFailed', data: { reason: 'uncertain_write', errorClass: 'none', detail: 'at_resolution' } }],
    { status: 'failed' },
  );
}
