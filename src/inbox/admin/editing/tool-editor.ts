import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SwitchTool } from '../../../commands/governance/switch-tool.command.js';
import type { ToolSwitched } from '../../../events/governance-events.js';
import type { JsonObject, JsonValue } from '../../../events/json.js';
import { type CataloguedTool, ToolCatalogue } from '../../../governance/tool-catalogue.js';
import { bodyInForm } from '../../../http/body/read-form.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { SWITCH_TOOL_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { ToolSwitchBody, toolSwitch } from '../../../http/governance/tool.body.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import type { Catalogue } from '../../messages/en.js';
import { type EditedRecord, Editor, type Put } from './editor.js';

type Approval = keyof Catalogue['admin']['tool']['approvals'];

/** What each choice says to the interface. */
const APPROVALS: Readonly<Record<Approval, boolean | null>> = { declared: null, always: true, never: false };

/** What operators set for a tool; what it declares of itself they only see. */
@Injectable()
export class ToolEditor extends Editor {
  override readonly section = 'tools';
  override readonly fresh = null;

  constructor(
    private readonly commands: CommandBus,
    private readonly tools: ToolCatalogue,
  ) {
    super();
  }

  override async read(name: string): Promise<EditedRecord | null> {
    const tool = await this.find(name);
    if (tool === undefined) return null;
    return { revision: tool.revision, body: { enabled: tool.enabled, approval: tool.operatorApproval } };
  }

  override async schema({ admin: { tool: words } }: Catalogue, body: JsonObject | null): Promise<JsonObject> {
    // To ask for no approval says no more than to leave it to the tool; it is offered to whoever has said so before.
    const choices: readonly Approval[] =
      body?.approval === false ? ['declared', 'always', 'never'] : ['declared', 'always'];
    return {
      type: 'object',
      required: ['enabled', 'approval'],
      properties: {
        enabled: { title: words.enabled, description: words.enabledHint, type: 'boolean' },
        approval: {
          title: words.approval,
          description: words.approvalHint,
          oneOf: choices.map((choice) => ({ const: choice, title: words.approvals[choice] })),
        },
      },
    };
  }

  override async remarks(t: Catalogue, name: string): Promise<readonly string[]> {
    const tool = await this.find(name);
    if (tool === undefined) return [];
    const { declares } = t.admin.tool;
    return [
      tool.description,
      `${t.effect[tool.effect]}. ${t.admin.tool.dataClass}: ${tool.dataClass}.`,
      ...declared(tool, declares),
    ];
  }

  override inForm({ enabled, approval }: JsonObject): JsonObject {
    return { enabled: enabled ?? true, approval: choiceOf(approval) };
  }

  override body({ approval, ...answer }: JsonObject): JsonObject {
    return typeof approval === 'string' && Object.hasOwn(APPROVALS, approval)
      ? { ...answer, approval: APPROVALS[approval as Approval] }
      : answer;
  }

  override async document(body: JsonObject): Promise<ToolSwitched['data']> {
    return toolSwitch(await bodyInForm(body, ToolSwitchBody));
  }

  override async put({ caller, id, body, precondition, correlationId }: Put): Promise<void> {
    const document = await this.document(body);
    const command = new SwitchTool(actorOf(caller), id, document, precondition, correlationId);
    acceptedOrProblem(SWITCH_TOOL_PROBLEMS, await this.commands.execute(command));
  }

  private async find(name: string): Promise<CataloguedTool | undefined> {
    return (await this.tools.list()).find((one) => one.name === name);
  }
}

function choiceOf(approval: JsonValue | undefined): Approval {
  if (approval === true) return 'always';
  return approval === false ? 'never' : 'declared';
}

/** What the tool itself says of being asked about; what an operator has set would hide it. */
function declared(
  { inputSchema, approval, operatorApproval, effect, remote }: CataloguedTool,
  words: Catalogue['admin']['tool']['declares'],
): readonly string[] {
  if (inputSchema !== undefined) return [words.input];
  if (remote) return [words.remote];
  if (effect !== 'read_only' || (approval && operatorApproval !== true)) return [words.approval];
  return approval ? [] : [words.free];
}
