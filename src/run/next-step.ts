import type { CallRefusal } from '../events/run-events.js';
import { type RunningRun, type Turn, type TurnCall, uncertainWrite } from './run-state.js';

/** A call that the pause has to ask about. */
export interface ApprovalBoundCall {
  readonly callId: string;
  readonly toolName: string;
}

/** The one thing that a running run does next. Names calls, never their arguments. */
export type Step =
  /** `closing`: without a tools field, and whatever comes back ends the run. */
  | { readonly kind: 'ask_model'; readonly closing: false }
  | { readonly kind: 'ask_model'; readonly closing: true; readonly because: 'no_tools' | 'max_iterations' }
  | { readonly kind: 'suspend_for_approval'; readonly calls: readonly ApprovalBoundCall[] }
  | { readonly kind: 'suspend_for_resolution'; readonly callId: string; readonly toolName: string }
  /** `withInput`: the person's values are laid over the arguments first (INP-6). */
  | { readonly kind: 'execute'; readonly callId: string; readonly toolName: string; readonly withInput: boolean }
  | {
      readonly kind: 'refuse';
      readonly callId: string;
      readonly toolName: string | null;
      readonly refusal: CallRefusal;
    };

/**
 * Starting, resuming and going on after a crash are all this: what does the history say comes next?
 *
 * @param offered names of the tools that the next model call would be offered
 */
export function nextStep(run: RunningRun, offered: readonly string[]): Step {
  const write = uncertainWrite(run);
  if (write !== null) {
    return { kind: 'suspend_for_resolution', callId: write.callId, toolName: write.toolName ?? '' };
  }
  if (run.turn === null) return askModel(run, offered);
  const open = run.turn.calls.find((call) => call.progress !== 'done');
  if (open === undefined) return askModel(run, offered);
  if (awaitsApproval(run.turn)) {
    return { kind: 'suspend_for_approval', calls: approvalBound(run.turn) };
  }
  return stepOfCall(run.turn, open);
}

function askModel(run: RunningRun, offered: readonly string[]): Step {
  if (run.iterations >= run.maxIterations) return { kind: 'ask_model', closing: true, because: 'max_iterations' };
  if (offered.length === 0) return { kind: 'ask_model', closing: true, because: 'no_tools' };
  return { kind: 'ask_model', closing: false };
}

/** Approval is looked for before anything of the turn executes, harmless calls included (APP-1). */
function awaitsApproval(turn: Turn): boolean {
  return turn.answer === null && turn.calls.some((call) => call.disposition === 'approval');
}

function approvalBound(turn: Turn): ApprovalBoundCall[] {
  return turn.calls.flatMap(({ callId, toolName, disposition }) =>
    disposition === 'approval' && toolName !== null ? [{ callId, toolName }] : [],
  );
}

function stepOfCall(turn: Turn, call: TurnCall): Step {
  const refusal = refusalOf(turn, call);
  if (refusal !== null || call.toolName === null) {
    return { kind: 'refuse', callId: call.callId, toolName: call.toolName, refusal: refusal ?? 'unknown_tool' };
  }
  return { kind: 'execute', callId: call.callId, toolName: call.toolName, withInput: call.disposition === 'input' };
}

/** Why the history alone forbids a call; null where it may run if the owner's gate admits it. */
function refusalOf(turn: Turn, call: TurnCall): CallRefusal | null {
  // One decision covers the turn: after a "no" each of its calls gets the denial (APP-2).
  if (turn.answer?.kind === 'approval' && !turn.answer.approved) return 'denied';
  switch (call.disposition) {
    case 'not_offered':
      return call.toolName === null ? 'unknown_tool' : 'not_offered';
    case 'malformed':
      return 'malformed_arguments';
    case 'input':
      return turn.answer?.kind === 'input' ? null : 'input_not_provided';
    case 'approval':
      return turn.answer?.kind === 'approval' ? null : 'not_approved';
    case 'run':
      return null;
  }
}
