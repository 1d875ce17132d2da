import type { EventType } from './event.js';
import type { JsonObject } from './json.js';

/*
 * Names and shapes in this file are the storage format. A change to a released shape is a new schema version with an
 * upcaster and a golden history (`test/histories`), never an edit.
 *
 * A governance record is one stream of whole documents: the last one wins. Tokens have events of their own, so that a
 * document can be put again without knowing them.
 */

/** What can be told of a provider without telling content; a scripted provider's turns are sealed beside it. */
export type ProviderRecord =
  | { readonly kind: 'scripted' }
  | {
      readonly kind: 'openai-compatible';
      readonly baseUrl: string;
      readonly model: string;
      readonly apiKeyEnv?: string;
      readonly timeoutMs?: number;
    }
  | {
      readonly kind: 'openai' | 'anthropic';
      readonly model: string;
      readonly apiKeyEnv: string;
      readonly baseUrl?: string;
      readonly timeoutMs?: number;
    };

export interface FallbackRecord {
  readonly provider: ProviderRecord;
  readonly trustZone: string | null;
}

export interface ScriptedTurnRecord {
  readonly text?: string;
  readonly calls?: readonly {
    readonly callId?: string;
    readonly toolName: string;
    readonly arguments: JsonObject | string;
  }[];
  readonly delayMs?: number;
  readonly error?: { readonly status: number };
}

export type ConfigurationPut = EventType<
  'ConfigurationPut',
  {
    readonly provider: ProviderRecord;
    /** A name, not a closed list: a zone that whoever reads it does not know counts as the least trusted one (SRC-1). */
    readonly trustZone: string | null;
    readonly fallbacks: readonly FallbackRecord[];
    /** Null: every registered tool. */
    readonly allowedTools: readonly string[] | null;
    readonly snippetIds: readonly string[];
    readonly skillIds: readonly string[];
    readonly requireSecondApprover: boolean;
  },
  {
    readonly systemPrompt: string | null;
    /** Of the provider; null unless it is scripted. */
    readonly turns: readonly ScriptedTurnRecord[] | null;
    /** Of each fallback, in their order. */
    readonly fallbackTurns: readonly (readonly ScriptedTurnRecord[] | null)[];
  }
>;

export type ConfigurationDeleted = EventType<'ConfigurationDeleted', Record<string, never>>;

export type PrincipalPut = EventType<
  'PrincipalPut',
  {
    readonly kind: 'person' | 'service_account';
    readonly enabled: boolean;
    readonly admin: boolean;
    readonly grants: readonly 'agent_approve'[];
    readonly scopes: readonly ('agent:run' | 'agent:read' | 'agent:approve' | 'agent:cancel')[];
    readonly oidcSubject: string | null;
  }
>;

/** The token itself is told once and never stored: its hash recognises it. */
export type TokenIssued = EventType<
  'TokenIssued',
  {
    readonly tokenId: string;
    readonly name: string | null;
    /** Lower-case hex SHA-256 of the whole token. */
    readonly hash: string;
    readonly expiresAt: string | null;
  }
>;

export type TokenRevoked = EventType<'TokenRevoked', { readonly tokenId: string }>;

/**
 * Somebody else is about to be given the subject that this principal once claimed and does not have. Whatever was about
 * to give it to this one after all is decided anew, because this event came first.
 */
export type SubjectYielded = EventType<'SubjectYielded', { readonly to: string }>;

/**
 * This principal is an administrator at this moment and is about to take administration from another one. Whoever was about to
 * take it from this principal decides anew, because this event came first.
 */
export type AdministrationAsserted = EventType<'AdministrationAsserted', { readonly against: string }>;

/** What an operator has said of a tool, beside what the tool declares of itself. */
export type ToolSwitched = EventType<
  'ToolSwitched',
  {
    readonly enabled: boolean;
    /** Null: as declared. True: every call waits for approval, whatever the declaration says. */
    readonly approval: boolean | null;
  }
>;

/** A text for prompts, snippet or skill alike; which of the two it is, its stream says. */
interface SourceData {
  /** A name, not a closed list: a class that whoever reads it does not know counts as the most sensitive one (SRC-1). */
  readonly dataClass: string | null;
  readonly active: boolean;
}

interface SourceContent {
  readonly name: string;
  readonly content: string;
}

export type SnippetPut = EventType<'SnippetPut', SourceData, SourceContent>;
export type SnippetDeleted = EventType<'SnippetDeleted', Record<string, never>>;
export type SkillPut = EventType<'SkillPut', SourceData, SourceContent>;
export type SkillDeleted = EventType<'SkillDeleted', Record<string, never>>;

/** Whether the ceiling of data classes is kept or only observed: anything but `observe` is kept (SRC-7). */
export type DataClassEnforcementPut = EventType<'DataClassEnforcementPut', { readonly mode: string }>;

export type SourceEventType = SnippetPut | SnippetDeleted | SkillPut | SkillDeleted;
export type ConfigurationEventType = ConfigurationPut | ConfigurationDeleted;
export type PrincipalEventType = PrincipalPut | TokenIssued | TokenRevoked | SubjectYielded | AdministrationAsserted;
export type GovernanceEventType =
  | ConfigurationEventType
  | PrincipalEventType
  | ToolSwitched
  | SourceEventType
  | DataClassEnforcementPut;

export const CONFIGURATION_STREAM_PREFIX = 'configuration-';
export const PRINCIPAL_STREAM_PREFIX = 'principal-';
export const TOOL_STREAM_PREFIX = 'tool-';
export const SNIPPET_STREAM_PREFIX = 'snippet-';
export const SKILL_STREAM_PREFIX = 'skill-';
export const POLICY_STREAM_PREFIX = 'policy-';

/** Of every stream that holds a governance record. */
export const GOVERNANCE_STREAM_PREFIXES: readonly string[] = [
  CONFIGURATION_STREAM_PREFIX,
  PRINCIPAL_STREAM_PREFIX,
  TOOL_STREAM_PREFIX,
  SNIPPET_STREAM_PREFIX,
  SKILL_STREAM_PREFIX,
  POLICY_STREAM_PREFIX,
];
