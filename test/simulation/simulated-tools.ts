import type { JsonObject } from '../../src/events/json.js';
import type { ToolCallContext, ToolDeclaration } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';

/** One time that a tool was executed, seen from outside of every process. */
export interface Execution {
  readonly runId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonObject;
}

const LOOK: ToolDeclaration = {
  name: 'look',
  description: 'Looks at a place.',
  effect: 'read_only',
  dataClass: 'public',
  parameters: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] },
};

const ASK_SCHEMA = {
  type: 'object',
  properties: { amount: { type: 'integer', minimum: 0 }, note: { type: 'string' } },
  required: ['amount'],
} as const;

const ASK: ToolDeclaration = {
  name: 'ask',
  description: 'Asks a person.',
  effect: 'read_only',
  dataClass: 'public',
  parameters: { type: 'object', properties: { topic: { type: 'string' }, ...ASK_SCHEMA.properties } },
  inputSchema: ASK_SCHEMA,
};

const REFUND: ToolDeclaration = {
  name: 'refund',
  description: 'Refunds.',
  effect: 'non_idempotent_write',
  dataClass: 'public',
  parameters: { type: 'object', properties: { cents: { type: 'integer' } } },
};

/** A write that may be repeated; only where a test asks for it. */
export const LABEL: ToolDeclaration = {
  name: 'label',
  description: 'Labels.',
  effect: 'idempotent_write',
  dataClass: 'public',
  parameters: { type: 'object', properties: { label: { type: 'string' } } },
};

/** The tools of a simulated process: each takes some time, and tells the observer when it is executed. */
export function simulatedTools(
  takeTime: () => Promise<void>,
  observe: (execution: Execution) => void,
  more: readonly ToolDeclaration[] = [],
): ToolRegistry {
  const registry = new ToolRegistry();
  for (const declaration of [LOOK, ASK, REFUND, ...more]) {
    registry.register({
      declaration,
      implementation: {
        async execute(args: JsonObject, { runId, callId }: ToolCallContext) {
          observe({ runId, callId, toolName: declaration.name, arguments: args });
          await takeTime();
          return { seen: args };
        },
      },
    });
  }
  return registry;
}
