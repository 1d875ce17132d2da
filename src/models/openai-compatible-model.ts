import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { specifiedCompletion } from './chat-completion.js';
import { LanguageModelClient } from './language-model-client.js';
import type { ModelClient } from './model-provider.js';
import { DEFAULT_TIMEOUT_MS, type Environment, fetchOver, providerAccess } from './provider-access.js';
import type { OpenAICompatibleProvider } from './provider-configuration.js';
import type { ProviderConnections } from './provider-connections.js';

/** A model on a server that speaks the OpenAI chat-completions format. Every call of one that cannot be used fails `misconfigured`. */
export function openAICompatibleModel(
  provider: OpenAICompatibleProvider,
  connections: ProviderConnections,
  env: Environment,
): ModelClient {
  const access = providerAccess(provider, env);
  if (!access.usable) return access.client;
  const { chatModel } = createOpenAICompatible({
    name: provider.kind,
    baseURL: access.baseUrl,
    ...(access.key === undefined ? {} : { apiKey: access.key }),
    fetch: fetchOver(connections, specifiedCompletion),
  });
  return new LanguageModelClient(chatModel(provider.model), provider.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}
