import type { CommandResult } from '@nestjs/cqrs';
import type { CancelRun } from '../../commands/cancel-run.command.js';
import type { Approve } from '../../commands/decide-turn.command.js';
import type { EraseContent } from '../../commands/erase-content.command.js';
import type { ResolveCall } from '../../commands/resolve-call.command.js';
import type { StartRun } from '../../commands/start-run.command.js';
import type { SubmitInput } from '../../commands/submit-input.command.js';
import { invalidRequest, Problem } from '../problems/problem.js';
import type { ProblemsOf } from '../problems/rejections.js';
import { pauseSummary } from './pause-summary.js';

type RejectionOf<Result> =
  Extract<Result, { readonly outcome: 'rejected' }> extends { readonly rejection: infer R }
    ? R & { readonly code: string }
    : never;

const runNotFound = () => new Problem('run-not-found');

export const START_RUN_PROBLEMS: ProblemsOf<RejectionOf<CommandResult<StartRun>>> = {
  configuration_gone: () => new Problem('configuration-gone'),
  unknown_tools: ({ places }) =>
    invalidRequest(places.map((place) => ({ pointer: `/allowedTools/${place}`, message: 'is no registered tool' }))),
  idempotency_key_reused: () => new Problem('idempotency-key-reused'),
  prompt_too_large: ({ mostBytes }) =>
    new Problem('payload-too-large', {
      detail: `The prompt of a run has, with its sources, at most ${mostBytes / 1024} KiB.`,
    }),
  context_blocked: contextBlocked,
};

export const CANCEL_RUN_PROBLEMS: ProblemsOf<RejectionOf<CommandResult<CancelRun>>> = {
  run_not_found: runNotFound,
  run_settled: ({ status }) => settled(status),
};

export const SUBMIT_INPUT_PROBLEMS: ProblemsOf<RejectionOf<CommandResult<SubmitInput>>> = {
  run_not_found: runNotFound,
  already_answered: ({ answeredAt }) => new Problem('already-answered', { answeredAt }),
  run_settled: ({ status }) => settled(status),
  // `status` of a problem is that of HTTP (RFC 9457), so the run's has a name of its own.
  not_awaiting_input: ({ status }) => new Problem('not-awaiting-input', { runStatus: status }),
  corrupt_suspended_state: () => new Problem('corrupt-suspended-state'),
  configuration_gone: () => new Problem('configuration-gone'),
  stale_turn: ({ pause }) => new Problem('stale-turn', { pause: pauseSummary(pause) }),
  submitter_not_permitted: ({ toolName, reason }) => new Problem('submitter-not-permitted', { toolName, reason }),
  context_blocked: contextBlocked,
  invalid_input: ({ faults, truncated }) =>
    new Problem('invalid-input', {
      errors: faults.map(({ callId, pointer, keyword, message }) => ({ callId, pointer, keyword, message })),
      ...(truncated ? { truncated } : {}),
    }),
};

export const DECIDE_TURN_PROBLEMS: ProblemsOf<RejectionOf<CommandResult<Approve>>> = {
  run_not_found: runNotFound,
  already_answered: ({ answeredAt }) => new Problem('already-answered', { answeredAt }),
  run_settled: ({ status }) => settled(status),
  not_awaiting_approval: ({ status }) => new Problem('not-awaiting-approval', { runStatus: status }),
  corrupt_suspended_state: () => new Problem('corrupt-suspended-state'),
  configuration_gone: () => new Problem('configuration-gone'),
  stale_turn: ({ pause }) => new Problem('stale-turn', { pause: pauseSummary(pause) }),
  self_approval: () => new Problem('self-approval'),
  approver_not_permitted: ({ toolName, reason }) => new Problem('approver-not-permitted', { toolName, reason }),
  context_blocked: contextBlocked,
};

interface ContextBlocked {
  readonly source: string;
  readonly dataClass: string;
  readonly zone: string;
}

/** The sentence tells an operator what to mend: ids and words from fixed lists, never the text (SRC-2). */
function contextBlocked({ source, dataClass, zone }: ContextBlocked): Problem {
  const detail = `The source ${source} is ${dataClass}, which is too sensitive for the zone ${zone} that the run can reach.`;
  return new Problem('context-blocked', { source, dataClass, zone, detail });
}

export const RESOLVE_CALL_PROBLEMS: ProblemsOf<RejectionOf<CommandResult<ResolveCall>>> = {
  run_not_found: runNotFound,
  run_settled: ({ status }) => settled(status),
  not_awaiting_resolution: ({ status }) => new Problem('not-awaiting-resolution', { runStatus: status }),
  another_call: ({ callId }) => new Problem('not-awaiting-resolution', { runStatus: 'waiting_for_resolution', callId }),
};

export const ERASE_CONTENT_PROBLEMS: ProblemsOf<RejectionOf<CommandResult<EraseContent>>> = {
  run_not_found: runNotFound,
  run_not_settled: ({ status }) => new Problem('run-not-settled', { runStatus: status }),
};

function settled(status: string): Problem {
  return new Problem('run-settled', { runStatus: status });
}
