import type { Principal } from '../governance/principal.js';
import { submitterTools, type ToolAllowance, type TurnRefusal, turnRefusal } from '../governance/tool-gate.js';
import type { InputPause, Turn } from '../run/run-state.js';
import type { ToolDeclaration } from '../tools/tool.js';

/**
 * Whether somebody may feed this turn, asked of the records as they are now: when they answer, and again when the
 * answered run is claimed (SUB-2, SUB-5, SUB-6, SUB-10).
 */
export function submitterRefusal(
  turn: Turn,
  pause: InputPause,
  find: (name: string) => ToolDeclaration | undefined,
  configuration: ToolAllowance,
  submitter: Principal | null,
): TurnRefusal | null {
  const toolNames = submitterTools(turn.calls, pause.requests);
  if (submitter?.kind === 'service_account') return { toolName: toolNames[0] ?? '', reason: 'service_account' };
  return turnRefusal(toolNames, find, configuration, submitter);
}
