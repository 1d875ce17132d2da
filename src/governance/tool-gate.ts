import type { ToolDeclaration } from '../tools/tool.js';
import type { Principal } from './principal.js';

/** Why a principal may not have a tool, from the cheapest and least revealing reason on. */
export type ToolDenial =
  | 'principal_unknown'
  | 'principal_disabled'
  | 'service_account'
  | 'not_registered'
  | 'not_allowed_by_configuration'
  | 'not_allowed_by_run'
  | 'admins_only';

/** What the gate needs of a configuration. */
export interface ToolAllowance {
  /** Null: every tool. */
  readonly allowedTools: readonly string[] | null;
}

/**
 * May this principal have this tool under this configuration? The one notion of it: for what a model is offered, for
 * what executes, and for who may answer (SUB-2 to SUB-4).
 *
 * @param tool undefined where nothing is registered under the name
 * @param principal null where the directory knows nobody of the id
 * @returns null where the gate admits
 */
export function toolDenial(
  tool: ToolDeclaration | undefined,
  configuration: ToolAllowance,
  principal: Principal | null,
): ToolDenial | null {
  if (principal === null) return 'principal_unknown';
  if (!principal.enabled) return 'principal_disabled';
  if (tool === undefined) return 'not_registered';
  if (configuration.allowedTools !== null && !configuration.allowedTools.includes(tool.name)) {
    return 'not_allowed_by_configuration';
  }
  if (tool.adminOnly === true && !(principal.kind === 'person' && principal.admin)) return 'admins_only';
  return null;
}

/** Tools that a run's next model call is offered: the owner's gate, and the run's own allow-list (LIF-2). */
export function offeredTools(
  tools: readonly ToolDeclaration[],
  configuration: ToolAllowance,
  owner: Principal | null,
  allowedByRun: readonly string[] | null,
): ToolDeclaration[] {
  return tools.filter(
    (tool) =>
      (allowedByRun === null || allowedByRun.includes(tool.name)) && toolDenial(tool, configuration, owner) === null,
  );
}

export interface TurnRefusal {
  readonly toolName: string;
  readonly reason: ToolDenial;
}

/** A call of a turn, as far as choosing whom to ask about it goes. */
export interface GatedCall {
  readonly toolName: string | null;
  readonly disposition: string;
}

/** A submitter feeds the whole turn: every call that could execute, and every tool that asks (SUB-2). */
export function submitterTools(calls: readonly GatedCall[], requests: readonly { readonly toolName: string }[]): string[] {
  return distinct([...executable(calls), ...requests.map((request) => request.toolName)]);
}

/** An approver releases writes; what only reads is not theirs to judge, and what cannot be classified is a write (SUB-3). */
export function approverTools(
  calls: readonly GatedCall[],
  find: (name: string) => ToolDeclaration | undefined,
): string[] {
  return distinct(executable(calls)).filter((name) => find(name)?.effect !== 'read_only');
}

/** The walk that both share (SUB-4): each tool is asked about once, the first denial refuses. */
export function turnRefusal(
  toolNames: readonly string[],
  find: (name: string) => ToolDeclaration | undefined,
  configuration: ToolAllowance,
  principal: Principal | null,
): TurnRefusal | null {
  for (const toolName of toolNames) {
    const reason = toolDenial(find(toolName), configuration, principal);
    if (reason !== null) return { toolName, reason };
  }
  return null;
}

function executable(calls: readonly GatedCall[]): string[] {
  return calls.flatMap(({ toolName, disposition }) =>
    toolName !== null && disposition !== 'not_offered' && disposition !== 'malformed' ? [toolName] : [],
  );
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

