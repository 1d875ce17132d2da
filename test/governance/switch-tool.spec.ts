import { decideSwitchTool } from '../../src/governance/decisions/switch-tool.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { TOOL_SWITCH } from '../../src/governance/tool-switch-record.js';
import type { ToolDeclaration } from '../../src/tools/tool.js';

/** What comes of an operator's wish for a tool that is declared so. */
function wish(approval: boolean | null, declared: Partial<ToolDeclaration>) {
  const declaration = { name: 't', description: 't', effect: 'read_only' as const, parameters: {}, ...declared };
  const document = { enabled: true, approval };
  const decision = decideSwitchTool(
    TOOL_SWITCH.fold.initialState,
    { document, precondition: NO_PRECONDITION },
    { declaration },
  );
  return decision.outcome === 'rejected' ? decision.rejection.code : decision.outcome;
}

describe('what an operator may say of approval', () => {
  it.each<[string, boolean | null, Partial<ToolDeclaration>, string]>([
    ['that a tool which reads asks for it', true, {}, 'accepted'],
    ['that a tool which reads needs none', false, {}, 'accepted'],
    ['not that a write needs none', false, { effect: 'idempotent_write' }, 'approval_is_declared'],
    ['not that a tool which asks for it needs none', false, { approval: true }, 'approval_is_declared'],
    [
      'that a remote tool needs none, whatever its effect',
      false,
      { remote: true, effect: 'idempotent_write' },
      'accepted',
    ],
    [
      'not that a remote tool which asks for it needs none',
      false,
      { remote: true, approval: true },
      'approval_is_declared',
    ],
    ['not that a tool asks for it which asks for input', true, { inputSchema: { type: 'object' } }, 'asks_for_input'],
  ])('APP-1 INP-7 is %s', (_what, approval, declared, outcome) => {
    expect(wish(approval, declared)).toBe(outcome);
  });
});
