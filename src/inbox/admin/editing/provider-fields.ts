import type { JsonObject } from '../../../events/json.js';
import { TRUST_ZONES } from '../../../governance/configuration-document.js';
import type { Catalogue } from '../../messages/en.js';

/** The fields of a provider: a kind, and what that kind needs. Scripted turns are written as JSON. */
export function providerFields({ admin: { configuration: t } }: Catalogue): JsonObject {
  const text = (title: string, description: string): JsonObject => ({ type: 'string', title, description });
  const timeoutMs = { type: 'integer', title: t.timeoutMs, description: t.timeoutHint };
  const model = text(t.model, t.modelHint);
  const apiKeyEnv = text(t.apiKeyEnv, t.apiKeyEnvHint);
  const ofKind = (kind: keyof typeof t.kinds, required: readonly string[], properties: JsonObject): JsonObject => ({
    title: t.kinds[kind],
    type: 'object',
    required: ['kind', ...required],
    properties: { kind: { const: kind }, ...properties },
  });
  const hosted = {
    model,
    apiKeyEnv,
    baseUrl: text(t.baseUrl, `${t.baseUrlHint} ${t.ownAddressHint}`),
    timeoutMs,
  };
  return {
    oneOf: [
      ofKind('openai-compatible', ['baseUrl', 'model'], {
        baseUrl: text(t.baseUrl, t.baseUrlHint),
        model,
        apiKeyEnv,
        timeoutMs,
      }),
      ofKind('openai', ['model', 'apiKeyEnv'], hosted),
      ofKind('anthropic', ['model', 'apiKeyEnv'], hosted),
      ofKind('scripted', ['turns'], { turns: { type: 'array', title: t.turns, description: t.turnsHint } }),
    ],
  };
}

export function zoneField({ admin: { configuration: t } }: Catalogue): JsonObject {
  return {
    title: t.trustZone,
    description: t.trustZoneHint,
    oneOf: TRUST_ZONES.map((zone) => ({ const: zone, title: t.zones[zone] })),
  };
}
