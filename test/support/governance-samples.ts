import fc from 'fast-check';
import type { Actor } from '../../src/events/event.js';
import { type ConfigurationDocument, TRUST_ZONES } from '../../src/governance/configuration-document.js';
import type { PrincipalDocument } from '../../src/governance/decisions/put-principal.js';
import type { SourceDocument } from '../../src/governance/decisions/put-source.js';
import type { Precondition } from '../../src/governance/documents.js';
import { GRANTS, SCOPES } from '../../src/governance/principal.js';
import { DATA_CLASSES } from '../../src/governance/tool-catalogue.js';
import type { ProviderConfiguration } from '../../src/models/provider-configuration.js';

export const ROOT: Actor = { kind: 'principal', id: 'root' };

export function aPrincipal(changed: Partial<PrincipalDocument> = {}): PrincipalDocument {
  return { kind: 'person', enabled: true, admin: false, grants: [], scopes: [], oidcSubject: null, ...changed };
}

export function aConfiguration(changed: Partial<ConfigurationDocument> = {}): ConfigurationDocument {
  return {
    provider: { kind: 'scripted', turns: [{ text: 'done' }] },
    trustZone: 'local',
    fallbacks: [],
    systemPrompt: null,
    allowedTools: null,
    snippetIds: [],
    skillIds: [],
    requireSecondApprover: false,
    ...changed,
  };
}

export const recordIds = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const texts = fc.string({ unit: 'grapheme', maxLength: 40 });

/** Tool arguments as a model or an operator may write them, names of prototypes included. */
const callArguments = fc.oneof(
  texts,
  fc.dictionary(
    fc.oneof(texts, fc.constantFrom('__proto__', 'constructor', 'toString')),
    fc.jsonValue(),
  ) as fc.Arbitrary<Record<string, never>>,
);

const scriptedTurns = fc.record(
  {
    text: texts,
    calls: fc.array(
      fc.record(
        { callId: texts, toolName: texts, arguments: callArguments },
        { requiredKeys: ['toolName', 'arguments'] },
      ),
      {
        maxLength: 3,
      },
    ),
    delayMs: fc.nat(600_000),
    error: fc.record({ status: fc.integer({ min: 400, max: 599 }) }),
  },
  { requiredKeys: [] },
);

const providers: fc.Arbitrary<ProviderConfiguration> = fc.oneof(
  fc.record({ kind: fc.constant('scripted' as const), turns: fc.array(scriptedTurns, { maxLength: 3 }) }),
  fc.record(
    {
      kind: fc.constant('openai-compatible' as const),
      baseUrl: fc.webUrl(),
      model: fc.stringMatching(/^[a-z0-9-]{1,20}$/),
      apiKeyEnv: fc.constant('HOLDPOINT_PROVIDER_KEY_TEST'),
      timeoutMs: fc.integer({ min: 100, max: 1_800_000 }),
    },
    { requiredKeys: ['kind', 'baseUrl', 'model'] },
  ),
);

const zones = fc.constantFrom(null, ...TRUST_ZONES);

export const configurationDocuments: fc.Arbitrary<ConfigurationDocument> = fc.record({
  provider: providers,
  trustZone: zones,
  fallbacks: fc.array(fc.record({ provider: providers, trustZone: zones }), { maxLength: 2 }),
  systemPrompt: fc.option(texts),
  allowedTools: fc.option(fc.array(recordIds, { maxLength: 3 })),
  snippetIds: fc.array(recordIds, { maxLength: 2 }),
  skillIds: fc.array(recordIds, { maxLength: 2 }),
  requireSecondApprover: fc.boolean(),
});

export const principalDocuments: fc.Arbitrary<PrincipalDocument> = fc.record({
  kind: fc.constantFrom('person' as const, 'service_account' as const),
  enabled: fc.boolean(),
  admin: fc.boolean(),
  grants: fc.subarray([...GRANTS]),
  scopes: fc.subarray([...SCOPES]),
  oidcSubject: fc.option(fc.stringMatching(/^[!-~]{1,40}$/)),
});

export const sourceDocuments: fc.Arbitrary<SourceDocument> = fc.record({
  name: texts,
  content: texts,
  dataClass: fc.constantFrom(null, ...DATA_CLASSES),
  active: fc.boolean(),
});

export const preconditions: fc.Arbitrary<Precondition> = fc.oneof(
  fc.constantFrom<Precondition>({ kind: 'none' }, { kind: 'exists' }, { kind: 'does_not_exist' }),
  fc.record({
    kind: fc.constant('is_one_of' as const),
    revisions: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
  }),
);
