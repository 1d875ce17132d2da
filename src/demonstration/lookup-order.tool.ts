import type { JsonObject } from '../events/json.js';
import { Tool } from '../tools/tool.decorator.js';
import type { ToolImplementation } from '../tools/tool.js';

/** Reads, so it runs at once: the plainest path that a call can take. */
@Tool({
  name: 'lookup_order',
  description: 'Looks up an order by its number and returns what was ordered and where it goes.',
  effect: 'read_only',
  dataClass: 'internal',
  parameters: {
    type: 'object',
    properties: { orderId: { type: 'string', minLength: 1, maxLength: 40 } },
    required: ['orderId'],
    additionalProperties: false,
  },
})
export class LookupOrderTool implements ToolImplementation {
  execute({ orderId }: JsonObject): JsonObject {
    return { orderId: orderId ?? null, item: 'oak bookshelf', city: 'Leipzig', paidCents: 24_900, state: 'packed' };
  }
}
