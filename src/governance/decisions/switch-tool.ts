import { type Decision, rejected } from '../../events/decider.js';
import type { ToolSwitched } from '../../events/governance-events.js';
import { isApprovalBound, type ToolDeclaration } from '../../tools/tool.js';
import { decidePut, type Precondition, type PreconditionFailed, type PutReply } from '../documents.js';
import type { ToolSwitchState } from '../tool-switch-record.js';

export interface SwitchTool {
  readonly document: ToolSwitched['data'];
  readonly precondition: Precondition;
}

export interface SwitchToolFacts {
  /** Undefined where nothing is registered under the name. */
  readonly declaration: ToolDeclaration | undefined;
}

export type SwitchToolRejection =
  | PreconditionFailed
  | { readonly code: 'tool_not_found' }
  /** A tool that asks for input cannot be approval-bound as well (INP-7). */
  | { readonly code: 'asks_for_input' }
  /** What is approval-bound whatever an operator wants stays so. */
  | { readonly code: 'approval_is_declared' };

export function decideSwitchTool(
  state: ToolSwitchState,
  { document, precondition }: SwitchTool,
  { declaration }: SwitchToolFacts,
): Decision<ToolSwitched, PutReply, SwitchToolRejection> {
  if (declaration === undefined) return rejected({ code: 'tool_not_found' });
  if (document.approval === true && declaration.inputSchema !== undefined) return rejected({ code: 'asks_for_input' });
  if (document.approval === false && isApprovalBound(declaration, false)) {
    return rejected({ code: 'approval_is_declared' });
  }
  return decidePut<ToolSwitched>(state.document, { type: 'ToolSwitched', data: document }, true, precondition);
}
