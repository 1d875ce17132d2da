import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PutConfiguration } from '../../../commands/governance/put-configuration.command.js';
import type { JsonObject, JsonValue } from '../../../events/json.js';
import type { ConfigurationDocument } from '../../../governance/configuration-document.js';
import { Configurations } from '../../../governance/configurations.js';
import { ToolCatalogue } from '../../../governance/tool-catalogue.js';
import { bodyInForm } from '../../../http/body/read-form.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import {
  ConfigurationBody,
  configurationBody,
  configurationDocument,
} from '../../../http/governance/configuration.body.js';
import { PUT_CONFIGURATION_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { invalidRequest, Problem, type RequestFault } from '../../../http/problems/problem.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import { MOST_ROWS } from '../../form/draft.js';
import type { Catalogue } from '../../messages/en.js';
import { type EditedRecord, Editor, type Put } from './editor.js';
import { providerFields, zoneField } from './provider-fields.js';

@Injectable()
export class ConfigurationEditor extends Editor {
  override readonly section = 'configurations';
  override readonly fresh = { tools: 'every', requireSecondApprover: false };

  constructor(
    private readonly commands: CommandBus,
    private readonly configurations: Configurations,
    private readonly tools: ToolCatalogue,
  ) {
    super();
  }

  override async read(id: string): Promise<EditedRecord | null> {
    const found = await this.configurations.open(id);
    if (found === null) return null;
    const { id: _id, revision, ...document } = found;
    return { revision, body: configurationBody(document) as JsonObject };
  }

  override async schema(t: Catalogue, body: JsonObject | null): Promise<JsonObject> {
    const { configuration: words } = t.admin;
    const registered = (await this.tools.list()).map(({ name }) => name);
    // Tools that were named and are registered no more stay ticked.
    const toolNames = [...new Set([...registered, ...texts(body?.allowedTools)])];
    const provider = providerFields(t);
    return {
      type: 'object',
      required: ['provider', 'tools'],
      properties: {
        provider: { title: words.provider, description: words.providerHint, ...provider },
        trustZone: zoneField(t),
        tools: {
          title: words.tools,
          description: words.toolsHint,
          oneOf: (['every', 'chosen'] as const).map((choice) => ({ const: choice, title: words.toolChoices[choice] })),
        },
        allowedTools: { title: words.allowedTools, description: words.allowedToolsHint, ...someOf(toolNames) },
        snippetIds: {
          title: words.snippetIds,
          description: words.sourceIdsHint,
          ...idList(body?.snippetIds),
        },
        skillIds: { title: words.skillIds, description: words.sourceIdsHint, ...idList(body?.skillIds) },
        systemPrompt: {
          title: words.systemPrompt,
          description: words.systemPromptHint,
          type: 'string',
          maxLength: 65_536,
        },
        requireSecondApprover: {
          title: words.requireSecondApprover,
          description: words.requireSecondApproverHint,
          type: 'boolean',
        },
        fallbacks: {
          title: words.fallbacks,
          description: words.fallbacksHint,
          type: 'array',
          maxItems: 8,
          items: {
            type: 'object',
            required: ['provider'],
            properties: { provider: { title: words.provider, ...provider }, trustZone: zoneField(t) },
          },
        },
      },
    };
  }

  /** Leaving the list of tools out means every tool, and an empty one none: on the page that is said in words. */
  override inForm(body: JsonObject): JsonObject {
    return { ...body, tools: body.allowedTools === undefined ? 'every' : 'chosen' };
  }

  override body({ tools, allowedTools, ...answer }: JsonObject): JsonObject {
    return tools === 'chosen' ? { ...answer, allowedTools: allowedTools ?? [] } : answer;
  }

  override async document(body: JsonObject): Promise<ConfigurationDocument> {
    // Whoever corrects a form wants to know everything at once: what is wrong with the provider, too.
    const found = await Promise.all([
      faultsOf(async () => bodyInForm(body, ConfigurationBody)),
      faultsOf(async () => configurationDocument(providersOf(body))),
    ]);
    if (found.flat().length > 0) throw invalidRequest(found.flat());
    return configurationDocument(await bodyInForm(body, ConfigurationBody));
  }

  override async put({ caller, id, body, precondition, correlationId }: Put): Promise<void> {
    const document = await this.document(body);
    const put = new PutConfiguration(actorOf(caller), id, document, precondition, correlationId);
    acceptedOrProblem(PUT_CONFIGURATION_PROBLEMS, await this.commands.execute(put));
  }
}

/** Boxes to tick. Where there are more than a form takes, or none, the names are written as JSON. */
function someOf(names: readonly string[]): JsonObject {
  if (names.length === 0 || names.length > MOST_ROWS) return { type: 'array' };
  return { type: 'array', uniqueItems: true, items: { enum: names } };
}

/** A row for each id, or JSON where there are more than a form has rows. */
function idList(ids: JsonValue | undefined): JsonObject {
  return texts(ids).length > MOST_ROWS ? { type: 'array' } : { type: 'array', items: { type: 'string' } };
}

function texts(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/** A body with nothing but providers, which are judged apart from the rest. */
function providersOf({ provider, fallbacks }: JsonObject): ConfigurationBody {
  return Object.assign(new ConfigurationBody(), { provider, ...(fallbacks === undefined ? {} : { fallbacks }) });
}

async function faultsOf(judge: () => Promise<unknown>): Promise<readonly RequestFault[]> {
  try {
    await judge();
    return [];
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid-request') throw error;
    return error.members.errors as unknown as readonly RequestFault[];
  }
}
