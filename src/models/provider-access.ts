import { ModelCallFailed, type ModelClient } from './model-provider.js';
import { baseUrlFault, isProviderKeyName } from './provider-configuration.js';
import type { ProviderConnections } from './provider-connections.js';

/** The environment as it was read at start. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_TIMEOUT_MS = 120_000;

/** Where a provider is reached and with what key, or why it cannot be used. */
export type ProviderAccess =
  /** `key` is undefined for a provider that names none. */
  | { readonly usable: true; readonly baseUrl: string; readonly key: string | undefined }
  | { readonly usable: false; readonly client: ModelClient };

/**
 * Checked when the configuration was put, and again here, where a mistake would send a key or a transcript astray. A
 * provider that cannot be used has a client whose calls fail `misconfigured`.
 */
export function providerAccess(
  { baseUrl, apiKeyEnv }: { readonly baseUrl: string; readonly apiKeyEnv?: string },
  env: Environment,
): ProviderAccess {
  if (baseUrlFault(baseUrl) !== undefined) return unusable('the base URL is not one that may be used');
  const key = keyOf(apiKeyEnv, env);
  if (key === null) return unusable('the key that the configuration names is missing or cannot be sent');
  return { usable: true, baseUrl, key };
}

/**
 * What the SDK is given for `fetch`: our connections, with the rules that hold for all of them.
 *
 * @param reshape what becomes of the text of an answer before the SDK reads it
 * @param amend what becomes of the body of a request before it is sent
 */
export function fetchOver(
  connections: ProviderConnections,
  reshape: (answer: string) => string,
  amend: (body: string) => string = (body) => body,
): typeof fetch {
  return async (url, init) => {
    const text = await connections.post(String(url), {
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: amend(String(init?.body)),
      signal: init?.signal ?? new AbortController().signal,
    });
    return new Response(reshape(text), { headers: { 'content-type': 'application/json' } });
  };
}

/** Undefined where the provider needs no key, null where it needs one that is not there. */
function keyOf(apiKeyEnv: string | undefined, env: Environment): string | null | undefined {
  if (apiKeyEnv === undefined) return undefined;
  if (!isProviderKeyName(apiKeyEnv)) return null;
  const key = env[apiKeyEnv]?.trim() ?? '';
  // Anything else is no header value, and the error that says so would quote it.
  return /^[\x21-\x7e]+$/.test(key) ? key : null;
}

/** The reason is ours and names no value; the failure comes when the model is asked, where runs expect it. */
function unusable(reason: string): ProviderAccess {
  return {
    usable: false,
    client: {
      ask: async () => {
        throw new ModelCallFailed('misconfigured', undefined, { cause: new Error(reason) });
      },
    },
  };
}
