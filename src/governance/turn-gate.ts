import type { CallDisposition } from '../events/run-events.js';
import type { Principal } from './principal.js';
import { type GatedTool, type ToolAllowance, type ToolDenial, toolDenial } from './tool-gate.js';

/*
 * Who may answer a turn: two rules of what to ask about, and one walk that asks (SUB-4). Asked when somebody answers,
 * and again, on the records as they are then, when the answered run is claimed (SUB-10).
 */

/** A call of a turn, as far as choosing whom to ask about it goes. */
export interface GatedCall {
  readonly toolName: string | null;
  readonly disposition: CallDisposition;
}

export interface GatedTurn {
  readonly calls: readonly GatedCall[];
  readonly requests: readonly { readonly toolName: string }[];
}

export interface TurnRefusal {
  readonly toolName: string;
  readonly reason: ToolDenial;
}

type ToolsByName = ReadonlyMap<string, GatedTool>;

/** Every tool that a turn could have to do with: what has to be looked up before it is judged. */
export function toolsOfTurn({ calls, requests }: GatedTurn): string[] {
  return [...new Set([...executableTools(calls), ...requests.map(({ toolName }) => toolName)])];
}

/**
 * Whether somebody may feed this turn: every call of it that could execute and every tool that asks is theirs to run,
 * too (SUB-2). A service account supplies no input at all (SUB-5).
 */
export function submitterRefusal(
  turn: GatedTurn,
  tools: ToolsByName,
  configuration: ToolAllowance,
  submitter: Principal | null,
): TurnRefusal | null {
  const toolNames = toolsOfTurn(turn);
  if (submitter?.kind === 'service_account') return { toolName: toolNames[0] ?? '', reason: 'service_account' };
  return firstRefusal(toolNames, tools, configuration, submitter);
}

/**
 * Whether somebody may release this turn: each write of it is theirs to run, too. What only reads is not theirs to
 * judge, and what cannot be classified is a write (SUB-3). A service account releases no write (SUB-5).
 */
export function approverRefusal(
  turn: GatedTurn,
  tools: ToolsByName,
  configuration: ToolAllowance,
  approver: Principal | null,
): TurnRefusal | null {
  const writes = executableTools(turn.calls).filter((name) => tools.get(name)?.declaration.effect !== 'read_only');
  const [firstWrite] = writes;
  if (approver?.kind === 'service_account' && firstWrite !== undefined) {
    return { toolName: firstWrite, reason: 'service_account' };
  }
  if (firstWrite === undefined) return absentApprover(turn, approver);
  return firstRefusal(writes, tools, configuration, approver);
}

/** Where there is no write to ask about, whoever answers must still be somebody, and enabled (SUB-6). */
function absentApprover({ calls }: GatedTurn, approver: Principal | null): TurnRefusal | null {
  const toolName = executableTools(calls)[0] ?? '';
  if (approver === null) return { toolName, reason: 'principal_unknown' };
  return approver.enabled ? null : { toolName, reason: 'principal_disabled' };
}

/** Each tool is asked about once; the first denial refuses. */
function firstRefusal(
  toolNames: readonly string[],
  tools: ToolsByName,
  configuration: ToolAllowance,
  principal: Principal | null,
): TurnRefusal | null {
  for (const toolName of toolNames) {
    const reason = toolDenial(tools.get(toolName), configuration, principal);
    if (reason !== null) return { toolName, reason };
  }
  return null;
}

function executableTools(calls: readonly GatedCall[]): string[] {
  const names = calls.flatMap(({ toolName, disposition }) =>
    toolName !== null && disposition !== 'not_offered' && disposition !== 'malformed' ? [toolName] : [],
  );
  return [...new Set(names)];
}
