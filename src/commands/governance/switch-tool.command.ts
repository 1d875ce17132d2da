import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/event.js';
import type { ToolSwitched } from '../../events/governance-events.js';
import type { SwitchToolRejection } from '../../governance/decisions/switch-tool.js';
import type { Precondition, PutReply } from '../../governance/documents.js';
import type { GovernanceCommandResult } from './governance-command-result.js';

/** Sets what an operator wants of a tool. Replies with the revision of the document that stands now. */
export class SwitchTool extends Command<
  GovernanceCommandResult<PutReply & { readonly revision: number }, SwitchToolRejection>
> {
  constructor(
    readonly actor: Actor,
    readonly toolName: string,
    readonly document: ToolSwitched['data'],
    readonly precondition: Precondition,
    readonly correlationId: string,
  ) {
    super();
  }
}
