import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '../../event-store/streams.js';
import { decideSwitchTool } from '../../governance/decisions/switch-tool.js';
import { recordStream } from '../../governance/records.js';
import { TOOL_SWITCH } from '../../governance/tool-switch-record.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { putResult } from './governance-command-result.js';
import { SwitchTool } from './switch-tool.command.js';

@CommandHandler(SwitchTool)
export class SwitchToolHandler implements ICommandHandler<SwitchTool> {
  constructor(
    private readonly streams: Streams,
    private readonly registry: ToolRegistry,
  ) {}

  async execute(command: SwitchTool) {
    const { actor, toolName, correlationId } = command;
    const executed = await this.streams.execute(
      recordStream(TOOL_SWITCH, toolName),
      TOOL_SWITCH.fold,
      { actor, correlationId },
      async () => ({ declaration: this.registry.find(toolName)?.declaration }),
      (state, facts) => decideSwitchTool(state, command, facts),
    );
    return putResult(executed);
  }
}
