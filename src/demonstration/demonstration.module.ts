import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PutConfiguration } from '../commands/governance/put-configuration.command.js';
import type { ConfigurationDocument } from '../governance/configuration-document.js';
import { AskDeliveryWindowTool } from './ask-delivery-window.tool.js';
import { DemonstrationRuns } from './demonstration-runs.js';
import { IssueRefundTool } from './issue-refund.tool.js';
import { LookupOrderTool } from './lookup-order.tool.js';
import { ReadLedgerTool } from './read-ledger.tool.js';

/** A run that reads, waits for typed input and finishes, without any model behind it. */
const DEMO: ConfigurationDocument = {
  provider: {
    kind: 'scripted',
    turns: [
      { text: 'I look the order up.', calls: [{ toolName: 'lookup_order', arguments: { orderId: '1042' } }] },
      {
        text: 'I need to know when it may be delivered.',
        calls: [
          { toolName: 'ask_delivery_window', arguments: { orderId: '1042', date: '2020-01-01', slot: 'morning' } },
        ],
      },
      { text: 'The delivery of order 1042 is arranged.' },
    ],
  },
  trustZone: 'local',
  fallbacks: [],
  systemPrompt: 'You arrange deliveries. Ask the customer for what you cannot know.',
  allowedTools: ['lookup_order', 'ask_delivery_window', 'issue_refund', 'read_ledger'],
  snippetIds: [],
  skillIds: [],
  requireSecondApprover: false,
};

/** A run that wants to give money back: it waits for somebody's yes. */
const REFUND: ConfigurationDocument = {
  ...DEMO,
  provider: {
    kind: 'scripted',
    turns: [
      { text: 'I look the order up.', calls: [{ toolName: 'lookup_order', arguments: { orderId: '2077' } }] },
      {
        text: 'The bookshelf came damaged. I would refund it.',
        calls: [{ toolName: 'issue_refund', arguments: { orderId: '2077', amountCents: 24_900 } }],
      },
      { text: 'The customer of order 2077 has been answered.' },
    ],
  },
  systemPrompt: 'You answer complaints. Refund only what was paid.',
};

/** A run that needs what only an administrator may give. */
const LEDGER: ConfigurationDocument = {
  ...DEMO,
  provider: {
    kind: 'scripted',
    turns: [
      { text: 'I need the account to look at.', calls: [{ toolName: 'read_ledger', arguments: {} }] },
      { text: 'The ledger was read.' },
    ],
  },
  systemPrompt: 'You close the books of the month.',
};

const CONFIGURATIONS = { demo: DEMO, 'demo-refund': REFUND, 'demo-ledger': LEDGER } as const;

/** Puts the demonstration's configurations where there are none; an operator's own of those names are left alone. */
@Injectable()
class DemonstrationSeed implements OnApplicationBootstrap {
  constructor(private readonly commands: CommandBus) {}

  async onApplicationBootstrap(): Promise<void> {
    const actor = { kind: 'system', id: 'demonstration' } as const;
    for (const [id, document] of Object.entries(CONFIGURATIONS)) {
      await this.commands.execute(
        new PutConfiguration(actor, id, document, { kind: 'does_not_exist' }, 'demonstration'),
      );
    }
  }
}

/** Tools and configurations that show each path of a run. */
@Module({
  providers: [
    LookupOrderTool,
    AskDeliveryWindowTool,
    IssueRefundTool,
    ReadLedgerTool,
    DemonstrationSeed,
    DemonstrationRuns,
  ],
})
export class DemonstrationModule {}
