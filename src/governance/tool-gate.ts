import type { DataClass, ToolDeclaration } from '../tools/tool.js';
import { type Ceiling, isAbove } from './ceiling.js';
import type { Principal } from './principal.js';

/** Why a principal may not have a tool, from the cheapest and least revealing reason on. */
export type ToolDenial =
  | 'principal_unknown'
  | 'principal_disabled'
  | 'service_account'
  | 'not_registered'
  | 'tool_disabled'
  | 'not_allowed_by_configuration'
  | 'admins_only'
  | 'data_class_above_ceiling';

/** What the gate needs of a tool. */
export interface GatedTool {
  readonly declaration: ToolDeclaration;
  readonly enabled: boolean;
}

/** What the gate needs of a configuration. */
export interface ToolAllowance {
  /** Null: every tool. */
  readonly allowedTools: readonly string[] | null;
  readonly ceiling: Ceiling;
}

/** Class of what a tool returns: one that declares none is taken for the most sensitive (SRC-8). */
export function classOfTool({ dataClass }: ToolDeclaration): DataClass {
  return dataClass ?? 'secret_adjacent';
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
  tool: GatedTool | undefined,
  configuration: ToolAllowance,
  principal: Principal | null,
): ToolDenial | null {
  if (principal === null) return 'principal_unknown';
  if (!principal.enabled) return 'principal_disabled';
  if (tool === undefined) return 'not_registered';
  const { name, adminOnly } = tool.declaration;
  if (!tool.enabled) return 'tool_disabled';
  if (configuration.allowedTools !== null && !configuration.allowedTools.includes(name)) {
    return 'not_allowed_by_configuration';
  }
  if (adminOnly === true && !(principal.kind === 'person' && principal.admin)) return 'admins_only';
  return returnsTooMuch(tool, configuration.ceiling) ? 'data_class_above_ceiling' : null;
}

/** What a tool returns goes to the model with the next call, so that the ceiling governs it too (SRC-8, SRC-7). */
function returnsTooMuch(tool: GatedTool, ceiling: Ceiling): boolean {
  if (!isAbove(ceiling, classOfTool(tool.declaration))) return false;
  return ceiling.enforcement === 'enforce' || tool.declaration.remote === true;
}

/** Tools that a run's next model call is offered: the owner's gate, and the run's own allow-list (LIF-2). */
export function offeredTools<Tool extends GatedTool>(
  tools: Iterable<Tool>,
  configuration: ToolAllowance,
  owner: Principal | null,
  allowedByRun: readonly string[] | null,
): Tool[] {
  return [...tools].filter(
    (tool) =>
      (allowedByRun === null || allowedByRun.includes(tool.declaration.name)) &&
      toolDenial(tool, configuration, owner) === null,
  );
}
