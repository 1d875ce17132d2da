import type { Principal } from '../../src/governance/principal.js';
import { offeredTools, toolDenial } from '../../src/governance/tool-gate.js';
import { approverRefusal, submitterRefusal } from '../../src/governance/turn-gate.js';
import type { ToolDeclaration } from '../../src/tools/tool.js';

function tool(name: string, declared: Partial<ToolDeclaration> = {}, enabled = true) {
  const declaration: ToolDeclaration = { name, description: name, effect: 'read_only', parameters: {}, ...declared };
  return { declaration, enabled };
}

function person(changed: Partial<Principal> = {}): Principal {
  return {
    id: 'p',
    kind: 'person',
    enabled: true,
    admin: false,
    grants: [],
    scopes: [],
    oidcSubject: null,
    ...changed,
  };
}

const TOOLS = new Map(
  [
    tool('look'),
    tool('ask'),
    tool('ledger', { adminOnly: true }),
    tool('refund', { effect: 'non_idempotent_write' }),
    tool('payout', { effect: 'non_idempotent_write', adminOnly: true }),
    tool('off', {}, false),
  ].map((known) => [known.declaration.name, known]),
);
const UNLIMITED = { zone: 'local', dataClass: 'secret_adjacent', enforcement: 'enforce' } as const;
const EVERYTHING = { allowedTools: null, ceiling: UNLIMITED };
const account = person({ kind: 'service_account', scopes: ['agent:approve'], admin: true });

function call(toolName: string | null, disposition: 'run' | 'approval' | 'input' | 'not_offered' | 'malformed') {
  return { toolName, disposition };
}

describe('the tool gate', () => {
  it('SUB-4 gives the first of its reasons, the least revealing first', () => {
    const payout = TOOLS.get('payout');
    expect(toolDenial(undefined, EVERYTHING, null)).toBe('principal_unknown');
    expect(toolDenial(payout, EVERYTHING, person({ enabled: false, admin: true }))).toBe('principal_disabled');
    expect(toolDenial(undefined, EVERYTHING, person())).toBe('not_registered');
    expect(toolDenial(TOOLS.get('off'), { allowedTools: [], ceiling: UNLIMITED }, person())).toBe('tool_disabled');
    expect(toolDenial(payout, { allowedTools: [], ceiling: UNLIMITED }, person())).toBe('not_allowed_by_configuration');
    expect(toolDenial(payout, EVERYTHING, person())).toBe('admins_only');
    expect(toolDenial(payout, EVERYTHING, person({ admin: true }))).toBeNull();
  });

  it('SUB-1 takes no service account for an administrator', () => {
    expect(toolDenial(TOOLS.get('ledger'), EVERYTHING, account)).toBe('admins_only');
  });

  it('LIF-2 SUB-8 offers what configuration, run and owner allow, and nothing to a disabled owner', () => {
    const offeredTo = (owner: Principal, configured: string[] | null, byRun: string[] | null) =>
      offeredTools(TOOLS.values(), { allowedTools: configured, ceiling: UNLIMITED }, owner, byRun).map(
        ({ declaration }) => declaration.name,
      );
    expect(offeredTo(person(), null, null)).toEqual(['look', 'ask', 'refund']);
    expect(offeredTo(person(), ['look', 'ledger'], null)).toEqual(['look']);
    expect(offeredTo(person(), null, ['ask', 'off'])).toEqual(['ask']);
    expect(offeredTo(person(), null, [])).toEqual([]);
    expect(offeredTo(person({ enabled: false, admin: true }), null, null)).toEqual([]);
  });
});

describe('the gate on who answers a turn', () => {
  const asking = { calls: [call('ask', 'input')], requests: [{ toolName: 'ask' }] };

  it('SUB-2 asks a submitter about every call that could execute, not only about those that ask', () => {
    const calls = [call('ask', 'input'), call('ledger', 'run')];
    const turn = { calls, requests: [{ toolName: 'ask' }] };
    expect(submitterRefusal(turn, TOOLS, EVERYTHING, person())).toEqual({ toolName: 'ledger', reason: 'admins_only' });
    expect(submitterRefusal(turn, TOOLS, EVERYTHING, person({ admin: true }))).toBeNull();
  });

  it('SUB-2 asks about the tool of a request that no call names', () => {
    const turn = { calls: [], requests: [{ toolName: 'ledger' }] };
    expect(submitterRefusal(turn, TOOLS, EVERYTHING, person())).toEqual({ toolName: 'ledger', reason: 'admins_only' });
  });

  it('SUB-2 does not ask about calls that cannot execute', () => {
    const calls = [
      call('ask', 'input'),
      call('ledger', 'not_offered'),
      call(null, 'not_offered'),
      call('payout', 'malformed'),
    ];
    expect(submitterRefusal({ calls, requests: [] }, TOOLS, EVERYTHING, person())).toBeNull();
  });

  it('SUB-2 refuses a turn with a tool that is no longer registered', () => {
    const turn = { calls: [call('gone', 'input')], requests: [{ toolName: 'gone' }] };
    expect(submitterRefusal(turn, TOOLS, EVERYTHING, person({ admin: true }))).toEqual({
      toolName: 'gone',
      reason: 'not_registered',
    });
  });

  it('SUB-5 SUB-6 takes no input from a service account, nor from somebody unknown or disabled', () => {
    expect(submitterRefusal(asking, TOOLS, EVERYTHING, account)?.reason).toBe('service_account');
    expect(submitterRefusal(asking, TOOLS, EVERYTHING, null)?.reason).toBe('principal_unknown');
    expect(submitterRefusal(asking, TOOLS, EVERYTHING, person({ enabled: false }))?.reason).toBe('principal_disabled');
  });

  it('SUB-3 asks an approver about writes alone, and takes what it cannot classify for one', () => {
    const reading = { calls: [call('ledger', 'approval')], requests: [] };
    expect(approverRefusal(reading, TOOLS, EVERYTHING, person())).toBeNull();
    const writing = { calls: [call('ledger', 'run'), call('payout', 'approval')], requests: [] };
    expect(approverRefusal(writing, TOOLS, EVERYTHING, person())).toEqual({
      toolName: 'payout',
      reason: 'admins_only',
    });
    const unknown = { calls: [call('gone', 'approval')], requests: [] };
    expect(approverRefusal(unknown, TOOLS, EVERYTHING, person())).toEqual({
      toolName: 'gone',
      reason: 'not_registered',
    });
  });

  it('SUB-5 lets a service account approve what only reads, and nothing that writes', () => {
    const reading = { calls: [call('look', 'approval')], requests: [] };
    const writing = { calls: [call('refund', 'approval')], requests: [] };
    expect(approverRefusal(reading, TOOLS, EVERYTHING, account)).toBeNull();
    expect(approverRefusal(writing, TOOLS, EVERYTHING, account)).toEqual({
      toolName: 'refund',
      reason: 'service_account',
    });
  });

  it('SUB-6 refuses an approver who is unknown or disabled, also where nothing is written', () => {
    const reading = { calls: [call('look', 'approval')], requests: [] };
    expect(approverRefusal(reading, TOOLS, EVERYTHING, null)?.reason).toBe('principal_unknown');
    expect(approverRefusal(reading, TOOLS, EVERYTHING, person({ enabled: false }))?.reason).toBe('principal_disabled');
  });
});
