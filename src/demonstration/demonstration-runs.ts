import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { StartRun } from '../commands/start-run.command.js';
import { Principals } from '../governance/principals.js';

const TASKS = [
  { configurationId: 'demo', task: 'Order 1042 is packed. Arrange the delivery.' },
  { configurationId: 'demo-refund', task: 'The customer of order 2077 says that the shelf arrived broken. Help them.' },
  { configurationId: 'demo-ledger', task: 'Close the books of last month.' },
] as const;

/** Runs that wait for whoever opens the inbox for the first time. */
@Injectable()
export class DemonstrationRuns {
  constructor(
    private readonly commands: CommandBus,
    private readonly principals: Principals,
  ) {}

  /** Starts one run of each kind, as the first administrator; repeating it starts nothing again. */
  async start(): Promise<void> {
    const owner = await this.principals.find('admin');
    if (owner === null) return;
    for (const { configurationId, task } of TASKS) {
      const request = {
        configurationId,
        messages: [{ role: 'user', content: task }],
        allowedTools: null,
        maxIterations: null,
        forcedSnippetIds: [],
        forcedSkillIds: [],
        options: {},
      } as const;
      await this.commands.execute(new StartRun(owner, request, `demonstration-${configurationId}`, 'demonstration'));
    }
  }
}
