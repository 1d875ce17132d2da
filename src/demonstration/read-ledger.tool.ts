import type { JsonObject } from '../events/json.js';
import { Tool } from '../tools/tool.decorator.js';
import type { ToolImplementation } from '../tools/tool.js';

const ACCOUNT = {
  type: 'object',
  title: 'Which account?',
  properties: { account: { type: 'string', pattern: '^[A-Z]{2}[0-9]{6}$', title: 'Account number' } },
  required: ['account'],
} as const;

/** For admins only: neither offered to others' runs nor answerable by them. */
@Tool({
  name: 'read_ledger',
  description: 'Reads the balance of an account in the ledger. An administrator names the account.',
  effect: 'read_only',
  adminOnly: true,
  dataClass: 'internal',
  parameters: { type: 'object', properties: ACCOUNT.properties },
  inputSchema: ACCOUNT,
})
export class ReadLedgerTool implements ToolImplementation {
  execute({ account }: JsonObject): JsonObject {
    return { account: account ?? null, balanceCents: 1_204_377, currency: 'EUR' };
  }
}
