import type { JsonObject } from '../events/json.js';
import { Tool } from '../tools/tool.decorator.js';
import type { ToolCallContext, ToolImplementation } from '../tools/tool.js';

/** A write that must not happen twice: it waits for somebody's yes, and is never repeated on a guess. */
@Tool({
  name: 'issue_refund',
  description: 'Refunds an amount in cents to the customer of an order.',
  effect: 'non_idempotent_write',
  dataClass: 'internal',
  parameters: {
    type: 'object',
    properties: {
      orderId: { type: 'string', minLength: 1, maxLength: 40 },
      amountCents: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    },
    required: ['orderId', 'amountCents'],
    additionalProperties: false,
  },
})
export class IssueRefundTool implements ToolImplementation {
  execute({ orderId, amountCents }: JsonObject, { idempotencyKey }: ToolCallContext): JsonObject {
    return { orderId: orderId ?? null, refundedCents: amountCents ?? null, reference: idempotencyKey };
  }

  preview({ orderId, amountCents }: JsonObject): string[] {
    return [`Refund ${(Number(amountCents) / 100).toFixed(2)} EUR to the customer of order ${String(orderId)}.`];
  }
}
