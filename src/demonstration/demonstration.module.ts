import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PutConfiguration } from '../commands/governance/put-configuration.command.js';
import type { ConfigurationDocument } from '../governance/configuration-document.js';
import { AskDeliveryWindowTool } from './ask-delivery-window.tool.js';
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

/** Puts the configuration `demo` where there is none; an operator's own of that name is left alone. */
@Injectable()
class DemonstrationSeed implements OnApplicationBootstrap {
  constructor(private readonly commands: CommandBus) {}

  async onApplicationBootstrap(): Promise<void> {
    const actor = { kind: 'system', id: 'demonstration' } as const;
    await this.commands.execute(new PutConfiguration(actor, 'demo', DEMO, { kind: 'does_not_exist' }, 'demonstration'));
  }
}

/** Tools and a configuration that show each path of a run. */
@Module({
  providers: [LookupOrderTool, AskDeliveryWindowTool, IssueRefundTool, ReadLedgerTool, DemonstrationSeed],
})
export class DemonstrationModule {}
