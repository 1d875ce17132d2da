import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { specifiedCompletion } from './chat-completion.js';
import { LanguageModelClient } from './language-model-client.js';
import { ModelCallFailed, type ModelClient } from './model-provider.js';
import { baseUrlFault, isProviderKeyName, type OpenAICompatibleProvider } from './provider-configuration.js';
import type { ProviderConnections } from './provider-connections.js';

/** The environment as it was read at start. */
export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_MS = 120_000;

/** A model on a server that speaks the OpenAI chat-completions format. Every call of one that cannot be used fails `misconfigured`. */
export function openAICompatibleModel(
  provider: OpenAICompatibleProvider,
  connections: ProviderConnections,
  env: Environment,
): ModelClient {
  // Checked when the configuration was put, and again here, where a mistake would send a key or a transcript astray.
  if (baseUrlFault(provider.baseUrl) !== undefined) return unusable('the base URL is not one that may be used');
  const key = keyOf(provider, env);
  if (key === null) return unusable('the key that the configuration names is missing or cannot be sent');

  const { chatModel } = createOpenAICompatible({
    name: provider.kind,
    baseURL: provider.baseUrl,
    ...(key === undefined ? {} : { apiKey: key }),
    fetch: async (url, init) => {
      const text = await connections.post(String(url), {
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: String(init?.body),
        signal: init?.signal ?? new AbortController().signal,
      });
      return new Response(specifiedCompletion(text), { headers: { 'content-type': 'application/json' } });
    },
  });
  return new LanguageModelClient(chatModel(provider.model), provider.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

/** Undefined where the provider needs no key, null where it needs one that is not there. */
function keyOf({ apiKeyEnv }: OpenAICompatibleProvider, env: Environment): string | null | undefined {
  if (apiKeyEnv === undefined) return undefined;
  if (!isProviderKeyName(apiKeyEnv)) return null;
  const key = env[apiKeyEnv]?.trim() ?? '';
  // Anything else is no header value, and the error that says so would quote it.
  return /^[\x21-\x7e]+$/.test(key) ? key : null;
}

/** The reason is ours and names no value; the failure comes when the model is asked, where runs expect it. */
function unusable(reason: string): ModelClient {
  return {
    ask: async () => {
      throw new ModelCallFailed('misconfigured', undefined, { cause: new Error(reason) });
    },
  };
}
