import { type DynamicModule, Module } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { Tool } from '../../src/tools/tool.decorator.js';
import type { ToolImplementation } from '../../src/tools/tool.js';

/*
 * Tools that ask for everything that a form can ask for, and tools whose every text tries to be something else than text.
 */

/** What models and tools may say, and no page may take for anything but text. */
export const HOSTILE = {
  markup: '<img src=x onerror="document.title=\'owned\'"></script><script>document.title="owned"</script>',
  link: 'javascript:alert(document.domain)',
  turned: 'pay \u202Ekcab\u202C now',
  unseen: 'a\u200Bdmin',
  word: 'x'.repeat(3_000),
  family: '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u{1F44D}\u{1F3FD} \u2764\uFE0F',
  right: 'مرحبا بكم في المتجر (1042) شكرا',
} as const;

const CARD = {
  title: 'By card',
  properties: { kind: { const: 'card' }, number: { type: 'string', title: 'Card number', minLength: 4 } },
  required: ['kind', 'number'],
} as const;

const TRANSFER = {
  title: 'By transfer',
  properties: { kind: { const: 'transfer' }, iban: { type: 'string', title: 'IBAN' } },
  required: ['kind', 'iban'],
} as const;

const TRAVELLER = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name' },
    age: { type: 'integer', title: 'Age', minimum: 0, maximum: 130 },
    mail: { type: 'string', format: 'email', title: 'E-mail' },
  },
  required: ['name'],
} as const;

const TRIP = {
  type: 'object',
  title: 'Plan the trip',
  description: 'Everything that the travel desk has to know.',
  properties: {
    payment: { title: 'Payment', type: 'object', oneOf: [CARD, TRANSFER] },
    reason: { title: 'Reason', enum: ['late', 'other'] },
    travellers: { title: 'Travellers', type: 'array', minItems: 1, items: TRAVELLER },
    fragile: { title: 'Fragile goods', type: 'boolean' },
    days: { title: 'Days', type: 'array', uniqueItems: true, items: { enum: ['monday', 'tuesday', 'wednesday'] } },
    country: { title: 'Country', enum: ['at', 'be', 'ch', 'de', 'fr', 'it', 'nl', 'pl'] },
    price: { title: 'Price', type: 'number' },
    note: { title: 'Note', anyOf: [{ type: 'string', maxLength: 500 }, { type: 'null' }] },
    terms: { title: 'Terms', const: true, description: 'You answer for the costs.' },
    word: { title: 'Confirmation', type: 'string', const: 'DELETE', description: 'Type DELETE.' },
    leaves: { title: 'Leaves', type: 'string', format: 'date-time' },
    home: {
      title: 'Home',
      type: 'object',
      properties: { city: { title: 'City', type: 'string' } },
      required: ['city'],
    },
    seats: { title: 'Seats', type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }] },
    order: { title: 'Order', type: 'string', readOnly: true, default: 'A-1042' },
    more: { title: 'Anything else' },
    'größe/~.[0] "s"': { enum: ['x/y ~ "z"', 'kleiner'] },
  },
  required: ['reason', 'travellers', 'fragile'],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { properties: { explain: { title: 'Explanation', type: 'string', minLength: 3 } }, required: ['explain'] },
  if: { properties: { reason: { const: 'other' } }, required: ['reason'] },
  dependentSchemas: { price: { properties: { currency: { title: 'Currency', type: 'string' } } } },
  dependentRequired: { price: ['note'] },
} as const;

@Tool({
  name: 'plan_trip',
  description: 'Plans a trip.',
  effect: 'read_only',
  parameters: { type: 'object' },
  inputSchema: TRIP,
})
class PlanTripTool implements ToolImplementation {
  execute(args: JsonObject): JsonValue {
    return args;
  }
}

const TREE = {
  type: 'object',
  properties: { part: { type: 'string', title: 'Part' }, inside: { $ref: '#', title: 'Inside' } },
  required: ['part'],
} as const;

@Tool({
  name: 'describe_parts',
  description: 'Asks for parts in parts.',
  effect: 'read_only',
  parameters: { type: 'object' },
  inputSchema: TREE,
})
class DescribePartsTool implements ToolImplementation {
  execute(args: JsonObject): JsonValue {
    return args;
  }
}

@Tool({
  name: 'ask_under_pretence',
  description: HOSTILE.markup,
  effect: 'read_only',
  parameters: { type: 'object' },
  inputSchema: {
    type: 'object',
    title: `${HOSTILE.turned} ${HOSTILE.markup}`,
    description: `${HOSTILE.link} ${HOSTILE.right}`,
    properties: {
      [HOSTILE.markup]: { type: 'string', description: HOSTILE.word, examples: [HOSTILE.markup] },
      choice: { title: HOSTILE.unseen, enum: Object.values(HOSTILE) },
      named: {
        title: HOSTILE.word,
        oneOf: [
          { const: 1, title: HOSTILE.markup },
          { const: 2, title: HOSTILE.turned },
        ],
      },
    },
    required: ['choice'],
  },
})
class AskUnderPretenceTool implements ToolImplementation {
  execute(): JsonValue {
    return Object.values(HOSTILE);
  }
}

/** Says everything that it was told, wherever a tool can say something. */
@Tool({
  name: 'write_under_pretence',
  description: 'Writes.',
  effect: 'non_idempotent_write',
  parameters: { type: 'object' },
})
class WriteUnderPretenceTool implements ToolImplementation {
  execute(args: JsonObject): JsonValue {
    return args;
  }

  preview(): string[] {
    return Object.values(HOSTILE).map((text) => text.slice(0, 400));
  }
}

/** In the middle of its write the whole process is gone, as by a power cut. */
@Tool({
  name: 'break_off',
  description: 'Begins to write, and ends the process.',
  effect: 'non_idempotent_write',
  parameters: { type: 'object' },
})
class BreakOffTool implements ToolImplementation {
  execute(): JsonValue {
    process.kill(process.pid, 'SIGKILL');
    return null;
  }

  preview(): string[] {
    return ['Transfers 120.00 EUR to the supplier of order 2077.'];
  }
}

@Module({})
class FormToolsModule {}

export function formTools(): DynamicModule {
  return {
    module: FormToolsModule,
    providers: [PlanTripTool, DescribePartsTool, AskUnderPretenceTool, WriteUnderPretenceTool, BreakOffTool],
  };
}
