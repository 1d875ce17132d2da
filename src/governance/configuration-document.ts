import type { ConfigurationPut, ProviderRecord, ScriptedTurnRecord } from '../events/governance-events.js';
import type { JsonObject } from '../events/json.js';
import type { ProviderConfiguration } from '../models/provider-configuration.js';

/** Where a provider is, from the most trusted zone to the least (SRC-1). */
export const TRUST_ZONES = ['local', 'private_hosted', 'external_eu', 'external_global'] as const;
export type TrustZone = (typeof TRUST_ZONES)[number];

export interface Fallback {
  readonly provider: ProviderConfiguration;
  readonly trustZone: string | null;
}

/** A configuration as an administrator writes it, whole. */
export interface ConfigurationDocument {
  readonly provider: ProviderConfiguration;
  /** Null, or a zone that nobody knows: the least trusted one (SRC-1). */
  readonly trustZone: string | null;
  readonly fallbacks: readonly Fallback[];
  readonly systemPrompt: string | null;
  /** Null: every registered tool. */
  readonly allowedTools: readonly string[] | null;
  readonly snippetIds: readonly string[];
  readonly skillIds: readonly string[];
  readonly requireSecondApprover: boolean;
}

export type ConfigurationData = ConfigurationPut['data'];
export type ConfigurationContent = ConfigurationPut['content'];

/** The document as it is recorded: what decides in the clear, prompt and scripted turns as content (SEA-1). */
export function recordedConfiguration(document: ConfigurationDocument): {
  readonly data: ConfigurationData;
  readonly content: ConfigurationContent;
} {
  const { provider, fallbacks, systemPrompt, ...clear } = document;
  return {
    data: {
      ...clear,
      provider: clearFieldsOf(provider),
      fallbacks: fallbacks.map((fallback) => ({ ...fallback, provider: clearFieldsOf(fallback.provider) })),
    },
    content: {
      systemPrompt,
      turns: turnsOf(provider),
      fallbackTurns: fallbacks.map((fallback) => turnsOf(fallback.provider)),
    },
  };
}

/** The document again, from what was recorded of it. */
export function openedConfiguration(data: ConfigurationData, content: ConfigurationContent): ConfigurationDocument {
  return {
    ...data,
    provider: withTurns(data.provider, content.turns),
    fallbacks: data.fallbacks.map((fallback, index) => ({
      ...fallback,
      provider: withTurns(fallback.provider, content.fallbackTurns[index] ?? null),
    })),
    systemPrompt: content.systemPrompt,
  };
}

/** The codec has checked opened content against the schema of its event, which is what this type says. */
export function configurationContent(opened: JsonObject): ConfigurationContent {
  return opened as unknown as ConfigurationContent;
}

function clearFieldsOf(provider: ProviderConfiguration): ProviderRecord {
  return provider.kind === 'scripted' ? { kind: 'scripted' } : provider;
}

function turnsOf(provider: ProviderConfiguration): readonly ScriptedTurnRecord[] | null {
  return provider.kind === 'scripted' ? provider.turns : null;
}

function withTurns(provider: ProviderRecord, turns: readonly ScriptedTurnRecord[] | null): ProviderConfiguration {
  return provider.kind === 'scripted' ? { kind: 'scripted', turns: turns ?? [] } : provider;
}
