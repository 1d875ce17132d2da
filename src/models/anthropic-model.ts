import { createAnthropic } from '@ai-sdk/anthropic';
import { isJsonObject, type JsonObject, type JsonValue } from '../events/json.js';
import { LanguageModelClient } from './language-model-client.js';
import type { ModelClient, PromptMessage } from './model-provider.js';
import { DEFAULT_TIMEOUT_MS, type Environment, fetchOver, providerAccess } from './provider-access.js';
import type { AnthropicProvider } from './provider-configuration.js';
import type { ProviderConnections } from './provider-connections.js';

/** Given always: left out, the SDK would take an address from the environment that no configuration names. */
const ANTHROPIC_BASE_URL = 'https://api.anthropic.com/v1';

/** A model of Anthropic, by its messages. Every call of one that cannot be used fails `misconfigured`. */
export function anthropicModel(
  provider: AnthropicProvider,
  connections: ProviderConnections,
  env: Environment,
): ModelClient {
  const access = providerAccess({ ...provider, baseUrl: provider.baseUrl ?? ANTHROPIC_BASE_URL }, env);
  if (!access.usable) return access.client;
  const anthropic = createAnthropic({
    baseURL: access.baseUrl,
    // Never undefined for a provider that must name a key, so that the SDK looks for none of its own.
    apiKey: access.key ?? '',
    fetch: fetchOver(connections, (answer) => answer, withToolsOfTranscript),
  });
  const client = new LanguageModelClient(anthropic(provider.model), provider.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return { ask: (request) => client.ask({ ...request, messages: systemFirst(request.messages) }) };
}

/** The service takes instructions in one place alone, in front of the conversation. */
function systemFirst(messages: readonly PromptMessage[]): PromptMessage[] {
  const isSystem = ({ role }: PromptMessage) => role === 'system';
  return [...messages.filter(isSystem), ...messages.filter((message) => !isSystem(message))];
}

/**
 * The service refuses a conversation with tool calls in it unless tools are declared, also where none is on offer any
 * more. Then those that the conversation names are declared, as tools that may not be called.
 */
function withToolsOfTranscript(text: string): string {
  const body: unknown = JSON.parse(text);
  if (!isJsonObject(body) || body.tools !== undefined) return text;
  const names = new Set(blocksOf(body).flatMap(toolUsed));
  if (names.size === 0) return text;
  const tools = [...names].map((name) => ({ name, input_schema: { type: 'object' } }));
  return JSON.stringify({ ...body, tools, tool_choice: { type: 'none' } });
}

function blocksOf({ messages }: JsonObject): readonly JsonValue[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: JsonValue) =>
    isJsonObject(message) && Array.isArray(message.content) ? (message.content as readonly JsonValue[]) : [],
  );
}

function toolUsed(block: JsonValue): string[] {
  return isJsonObject(block) && block.type === 'tool_use' && typeof block.name === 'string' ? [block.name] : [];
}
