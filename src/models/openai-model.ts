import { createOpenAI } from '@ai-sdk/openai';
import { specifiedCompletion } from './chat-completion.js';
import { LanguageModelClient } from './language-model-client.js';
import type { ModelClient } from './model-provider.js';
import { DEFAULT_TIMEOUT_MS, type Environment, fetchOver, providerAccess } from './provider-access.js';
import type { OpenAIProvider } from './provider-configuration.js';
import type { ProviderConnections } from './provider-connections.js';

/** Given always: left out, the SDK would take an address from the environment that no configuration names. */
const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/**
 * A model of OpenAI, by its chat completions: the format keeps nothing of a call at the provider, unless it is asked to.
 * What it adds to the compatible one is what the SDK knows of OpenAI's models.
 */
export function openAIModel(provider: OpenAIProvider, connections: ProviderConnections, env: Environment): ModelClient {
  const access = providerAccess({ ...provider, baseUrl: provider.baseUrl ?? OPENAI_BASE_URL }, env);
  if (!access.usable) return access.client;
  const openai = createOpenAI({
    baseURL: access.baseUrl,
    // Never undefined for a provider that must name a key, so that the SDK looks for none of its own.
    apiKey: access.key ?? '',
    fetch: fetchOver(connections, specifiedCompletion),
  });
  return new LanguageModelClient(openai.chat(provider.model), provider.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}
