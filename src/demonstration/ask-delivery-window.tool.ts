import type { JsonObject } from '../events/json.js';
import { Tool } from '../tools/tool.decorator.js';
import type { ToolImplementation } from '../tools/tool.js';

const DELIVERY_WINDOW = {
  type: 'object',
  title: 'When may we deliver?',
  properties: {
    date: { type: 'string', format: 'date', title: 'Day' },
    slot: { type: 'string', enum: ['morning', 'afternoon', 'evening'], title: 'Time of day' },
    floor: { type: 'integer', minimum: 0, maximum: 60, title: 'Floor' },
    callFirst: { type: 'boolean', title: 'Call before arriving' },
  },
  required: ['date', 'slot'],
} as const;

/** Needs what only a person knows: every call of it pauses the run until somebody has filled its form. */
@Tool({
  name: 'ask_delivery_window',
  description: 'Asks the customer when an order may be delivered. The customer fills in day and time.',
  effect: 'read_only',
  dataClass: 'internal',
  parameters: {
    type: 'object',
    properties: { orderId: { type: 'string', maxLength: 40 }, ...DELIVERY_WINDOW.properties },
  },
  inputSchema: DELIVERY_WINDOW,
})
export class AskDeliveryWindowTool implements ToolImplementation {
  execute({ orderId, date, slot, floor, callFirst }: JsonObject): JsonObject {
    return {
      orderId: orderId ?? null,
      agreed: { date: date ?? null, slot: slot ?? null, floor: floor ?? null, callFirst: callFirst ?? null },
    };
  }
}
