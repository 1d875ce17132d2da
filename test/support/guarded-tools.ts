import type { JsonObject } from '../../src/events/json.js';
import type { ToolCallContext, ToolDeclaration } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';

/* Tools that differ in what the gates look at: who may have them, whether they write, whether they ask. */

const ANYTHING = { type: 'object', properties: { n: { type: 'integer' } } } as const;
const ASKED = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] } as const;

function declare(name: string, more: Partial<ToolDeclaration> = {}): ToolDeclaration {
  return { name, description: name, effect: 'read_only', dataClass: 'public', parameters: ANYTHING, ...more };
}

const GUARDED_TOOLS: readonly ToolDeclaration[] = [
  declare('look'),
  declare('ledger', { adminOnly: true }),
  declare('ask', {
    parameters: { ...ANYTHING, properties: { ...ANYTHING.properties, ...ASKED.properties } },
    inputSchema: ASKED,
  }),
  declare('refund', { effect: 'non_idempotent_write' }),
  declare('payout', { effect: 'idempotent_write', adminOnly: true }),
];

export interface GuardedExecution {
  readonly runId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonObject;
}

/** @param executed gets every execution, in their order */
export function guardedTools(executed: GuardedExecution[], registry = new ToolRegistry()): ToolRegistry {
  return observedTools(GUARDED_TOOLS, executed, registry);
}

/** Tools that do nothing but tell of each of their executions. */
export function observedTools<Registry extends ToolRegistry>(
  declarations: readonly ToolDeclaration[],
  executed: GuardedExecution[],
  registry: Registry,
): Registry {
  for (const declaration of declarations) {
    registry.register({
      declaration,
      implementation: {
        execute(args: JsonObject, { runId, callId }: ToolCallContext) {
          executed.push({ runId, callId, toolName: declaration.name, arguments: args });
          return Promise.resolve('done so');
        },
      },
    });
  }
  return registry;
}
