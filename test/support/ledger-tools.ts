import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import type { JsonObject } from '../../src/events/json.js';
import { Tool } from '../../src/tools/tool.decorator.js';
import type { ToolCallContext, ToolImplementation } from '../../src/tools/tool.js';

const LONGEST_MS = 300;

/** Tells the ledger, then takes a moment, so that a kill can hit between the deed and its record. */
async function execute(toolName: string, args: JsonObject, context: ToolCallContext): Promise<JsonObject> {
  const { runId, callId, idempotencyKey } = context;
  const body = JSON.stringify({ runId, callId, idempotencyKey, toolName, arguments: args, pid: process.pid });
  await fetch(process.env.LEDGER ?? '', { method: 'POST', body });
  await pause(Math.random() * LONGEST_MS);
  return { done: args };
}

@Tool({
  name: 'look',
  description: 'Reads.',
  effect: 'read_only',
  dataClass: 'public',
  parameters: { type: 'object' },
})
class LookTool implements ToolImplementation {
  execute(args: JsonObject, context: ToolCallContext) {
    return execute('look', args, context);
  }
}

@Tool({
  name: 'ask',
  description: 'Asks a person.',
  effect: 'read_only',
  dataClass: 'public',
  parameters: { type: 'object' },
  inputSchema: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
})
class AskTool implements ToolImplementation {
  execute(args: JsonObject, context: ToolCallContext) {
    return execute('ask', args, context);
  }
}

@Tool({
  name: 'refund',
  description: 'Writes, and must not do so twice.',
  effect: 'non_idempotent_write',
  dataClass: 'public',
  parameters: { type: 'object' },
})
class RefundTool implements ToolImplementation {
  execute(args: JsonObject, context: ToolCallContext) {
    return execute('refund', args, context);
  }
}

@Tool({
  name: 'label',
  description: 'Writes, and may do so again.',
  effect: 'idempotent_write',
  dataClass: 'public',
  parameters: { type: 'object' },
})
class LabelTool implements ToolImplementation {
  execute(args: JsonObject, context: ToolCallContext) {
    return execute('label', args, context);
  }
}

@Module({ providers: [LookTool, AskTool, RefundTool, LabelTool] })
export class LedgerTools {}
