import type { EventDeclaration, Schema } from './catalogue.js';
import type { GovernanceEventType } from './governance-events.js';
import { list, orNull, record } from './record-schema.js';

/*
 * The JSON Schema of each governance event, checked before every append and after every read. They say what the storage
 * format is; what may be put today is judged, more strictly, before an event is made.
 */

const recordId: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const toolName: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const time: Schema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
const hash: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const word: Schema = { type: 'string', pattern: '^[a-z_]{1,40}$' };
const zone: Schema = orNull(word);
const text: Schema = { type: 'string' };

const apiKeyEnv: Schema = { type: 'string', pattern: '^HOLDPOINT_PROVIDER_KEY_[A-Za-z0-9_]+$' };
const timeoutMs: Schema = { type: 'integer', minimum: 1 };

const provider: Schema = {
  oneOf: [
    record({ kind: { const: 'scripted' } }),
    record(
      {
        kind: { const: 'openai-compatible' },
        baseUrl: text,
        model: text,
        apiKeyEnv,
        timeoutMs,
      },
      ['apiKeyEnv', 'timeoutMs'],
    ),
    record({ kind: { enum: ['openai', 'anthropic'] }, model: text, apiKeyEnv, baseUrl: text, timeoutMs }, [
      'baseUrl',
      'timeoutMs',
    ]),
  ],
};

const turns = orNull(
  list(
    record(
      {
        text,
        calls: list(
          record({ callId: text, toolName: text, arguments: { anyOf: [{ type: 'object' }, text] } }, ['callId']),
        ),
        delayMs: { type: 'integer', minimum: 0 },
        error: record({ status: { type: 'integer' } }),
      },
      ['text', 'calls', 'delayMs', 'error'],
    ),
  ),
);

const sourcePut: EventDeclaration = {
  schemaVersion: 1,
  data: record({ dataClass: orNull(word), active: { type: 'boolean' } }),
  sealedWith: 'working',
  content: record({ name: text, content: text }),
};

export const GOVERNANCE_EVENTS: { readonly [Name in GovernanceEventType['type']]: EventDeclaration } = {
  ConfigurationPut: {
    schemaVersion: 1,
    data: record({
      provider,
      trustZone: zone,
      fallbacks: list(record({ provider, trustZone: zone })),
      allowedTools: orNull(list(toolName)),
      snippetIds: list(recordId),
      skillIds: list(recordId),
      requireSecondApprover: { type: 'boolean' },
    }),
    sealedWith: 'working',
    content: record({ systemPrompt: orNull(text), turns, fallbackTurns: list(turns) }),
  },
  ConfigurationDeleted: { schemaVersion: 1, data: record({}) },
  PrincipalPut: {
    schemaVersion: 1,
    data: record({
      kind: { enum: ['person', 'service_account'] },
      enabled: { type: 'boolean' },
      admin: { type: 'boolean' },
      grants: list({ enum: ['agent_approve'] }),
      scopes: list({ enum: ['agent:run', 'agent:read', 'agent:approve', 'agent:cancel'] }),
      oidcSubject: orNull({ type: 'string', minLength: 1, maxLength: 255 }),
    }),
  },
  TokenIssued: {
    schemaVersion: 1,
    data: record({
      tokenId: recordId,
      name: orNull({ type: 'string', minLength: 1, maxLength: 64 }),
      hash,
      expiresAt: orNull(time),
    }),
  },
  TokenRevoked: { schemaVersion: 1, data: record({ tokenId: recordId }) },
  SubjectYielded: { schemaVersion: 1, data: record({ to: recordId }) },
  AdministrationAsserted: { schemaVersion: 1, data: record({ against: recordId }) },
  ToolSwitched: {
    schemaVersion: 1,
    data: record({ enabled: { type: 'boolean' }, approval: orNull({ type: 'boolean' }) }),
  },
  SnippetPut: sourcePut,
  SnippetDeleted: { schemaVersion: 1, data: record({}) },
  SkillPut: sourcePut,
  SkillDeleted: { schemaVersion: 1, data: record({}) },
  DataClassEnforcementPut: { schemaVersion: 1, data: record({ mode: word }) },
};
