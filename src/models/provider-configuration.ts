import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../events/json.js';

/** How a configuration's model is reached. A new kind is a member here, a schema below and a factory in `ModelClients`. */
export type ProviderConfiguration = ScriptedProvider | OpenAICompatibleProvider | OpenAIProvider | AnthropicProvider;

export type ProviderKind = ProviderConfiguration['kind'];

/** Answers that were written beforehand, for demonstrations and tests. */
export interface ScriptedProvider {
  readonly kind: 'scripted';
  /** The n-th model call of a run is answered by the n-th turn. */
  readonly turns: readonly ScriptedTurn[];
}

export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** How long the model seems to think, in milliseconds. */
  readonly delayMs?: number;
  /** Fails the call with this HTTP status each time that the turn is reached. */
  readonly error?: { readonly status: number };
}

export interface ScriptedCall {
  readonly callId?: string;
  readonly toolName: string;
  /** An object, or text that is given as it stands, so that arguments which are no JSON can be shown. */
  readonly arguments: JsonObject | string;
}

/** A server that speaks the OpenAI chat-completions format. */
export interface OpenAICompatibleProvider {
  readonly kind: 'openai-compatible';
  /** `/chat/completions` is added to it. Carries no user info; a redirect is not followed. */
  readonly baseUrl: string;
  readonly model: string;
  /** Name of the environment variable that holds the key; absent: no key is sent. */
  readonly apiKeyEnv?: string;
  /** Bound of one whole call, in milliseconds; absent: 120,000. */
  readonly timeoutMs?: number;
}

/** What the services that sell models have in common: nobody is served without a key. */
interface HostedProvider {
  readonly model: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv: string;
  /** Absent: the service's own address. Carries no user info; a redirect is not followed. */
  readonly baseUrl?: string;
  /** Bound of one whole call, in milliseconds; absent: 120,000. */
  readonly timeoutMs?: number;
}

/** OpenAI, by its chat completions. */
export interface OpenAIProvider extends HostedProvider {
  readonly kind: 'openai';
}

/** Anthropic, by its messages. */
export interface AnthropicProvider extends HostedProvider {
  readonly kind: 'anthropic';
}

/** Where a provider is at fault. The message is one of ours and repeats no value. */
export interface ProviderFault {
  /** JSON pointer into the provider. */
  readonly pointer: string;
  readonly message: string;
}

export type ProviderCheck =
  | { readonly ok: true; readonly provider: ProviderConfiguration }
  | { readonly ok: false; readonly faults: readonly ProviderFault[] };

const MAX_TURNS = 200;
const MAX_CALLS_IN_A_TURN = 32;
const MAX_TEXT_CHARACTERS = 65_536;
const MAX_NAME_CHARACTERS = 200;
const MAX_DELAY_MS = 600_000;
const MIN_TIMEOUT_MS = 100;
const MAX_TIMEOUT_MS = 1_800_000;
const MAX_URL_CHARACTERS = 2_048;
const MAX_ARGUMENT_NODES = 5_000;
const MAX_ARGUMENT_DEPTH = 64;
const MAX_FAULTS = 50;
/** Of a property's name in a pointer: the name is the caller's text, and is shown only as far as it helps. */
const MAX_POINTER_TOKEN_CHARACTERS = 64;

/** Only such variables can be named by a configuration: an administrator of runs cannot read the rest of the environment. */
const KEY_NAME = /^HOLDPOINT_PROVIDER_KEY_[A-Za-z0-9_]{1,100}$/;

/** Whether a configuration may name this environment variable as a provider's key. */
export function isProviderKeyName(name: string): boolean {
  return KEY_NAME.test(name);
}

/** Why this address cannot be a provider's, in our own words; undefined where it can. */
export function baseUrlFault(value: string): string | undefined {
  // Judged as written, because the path is added to the text: the parser would drop blanks and an empty query.
  if (!/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value)) return 'must be an absolute URL';
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not carry user info';
  if (/[?#]/.test(value)) return 'must have neither query nor fragment';
  return undefined;
}

const scriptedArguments = z.custom<JsonObject | string>(
  (value) => (typeof value === 'string' ? value.length <= MAX_TEXT_CHARACTERS : isBoundedJsonObject(value)),
  `must be text, or an object, of at most ${MAX_TEXT_CHARACTERS} characters, ${MAX_ARGUMENT_NODES} values and ${MAX_ARGUMENT_DEPTH} levels`,
);

const scripted = z.strictObject({
  kind: z.literal('scripted'),
  turns: z
    .array(
      z.strictObject({
        text: z.string().max(MAX_TEXT_CHARACTERS).optional(),
        calls: z
          .array(
            z.strictObject({
              // Any text: demonstrations may show the ids and names that a model should not have given.
              callId: z.string().max(MAX_NAME_CHARACTERS).optional(),
              toolName: z.string().max(MAX_NAME_CHARACTERS),
              arguments: scriptedArguments,
            }),
          )
          .max(MAX_CALLS_IN_A_TURN)
          .optional(),
        delayMs: z.int().min(0).max(MAX_DELAY_MS).optional(),
        error: z.strictObject({ status: z.int().min(400).max(599) }).optional(),
      }),
    )
    .max(MAX_TURNS),
});

const baseUrl = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .superRefine((value, context) => {
    const message = baseUrlFault(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const model = z.string().min(1).max(MAX_NAME_CHARACTERS);

const apiKeyEnv = z
  .string()
  .refine(isProviderKeyName, 'must be the name of an environment variable that begins with HOLDPOINT_PROVIDER_KEY_');

const timeoutMs = z.int().min(MIN_TIMEOUT_MS).max(MAX_TIMEOUT_MS).optional();

const openAICompatible = z.strictObject({
  kind: z.literal('openai-compatible'),
  baseUrl,
  model,
  apiKeyEnv: apiKeyEnv.optional(),
  timeoutMs,
});

const openAI = z.strictObject({
  kind: z.literal('openai'),
  model,
  apiKeyEnv,
  baseUrl: baseUrl.optional(),
  timeoutMs,
});

const anthropic = z.strictObject({
  kind: z.literal('anthropic'),
  model,
  apiKeyEnv,
  baseUrl: baseUrl.optional(),
  timeoutMs,
});

/** One schema a kind. The type makes a kind without a schema a compile error. */
const SCHEMAS = { scripted, 'openai-compatible': openAICompatible, openai: openAI, anthropic } satisfies {
  readonly [Kind in ProviderKind]: z.ZodType<Extract<ProviderConfiguration, { kind: Kind }>>;
};

/**
 * Checks a provider as it was posted or stored: the kind, then every member of that kind; unknown members are faults.
 * Up to 50 faults are listed.
 */
export function checkProvider(value: unknown): ProviderCheck {
  if (!isJsonObject(value)) return { ok: false, faults: [{ pointer: '', message: 'must be an object' }] };
  const { kind } = value;
  if (!isProviderKind(kind)) {
    return { ok: false, faults: [{ pointer: '/kind', message: `must be one of ${Object.keys(SCHEMAS).join(', ')}` }] };
  }
  const parsed = SCHEMAS[kind].safeParse(value);
  if (parsed.success) return { ok: true, provider: parsed.data };
  return { ok: false, faults: parsed.error.issues.flatMap(faultsOf).slice(0, MAX_FAULTS) };
}

function isProviderKind(kind: unknown): kind is ProviderKind {
  return typeof kind === 'string' && Object.hasOwn(SCHEMAS, kind);
}

function faultsOf(issue: z.core.$ZodIssue): ProviderFault[] {
  const pointer = pointerOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        pointer: pointerOf([...issue.path, key]),
        message: 'is not a known property',
      }));
    case 'invalid_type':
      return [{ pointer, message: `must be ${EXPECTED[issue.expected] ?? issue.expected}` }];
    case 'too_big':
      return [{ pointer, message: boundMessage(issue.origin, 'at most', issue.maximum) }];
    case 'too_small':
      return [{ pointer, message: boundMessage(issue.origin, 'at least', issue.minimum) }];
    case 'custom':
      // The only messages that are taken as they are: those written in this file.
      return [{ pointer, message: issue.message }];
    default:
      return [{ pointer, message: 'is not valid' }];
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  number: 'a number',
  int: 'an integer',
};

function boundMessage(origin: string, relation: 'at most' | 'at least', bound: number | bigint): string {
  if (origin === 'string') return `must have ${relation} ${bound} characters`;
  if (origin === 'array') return `must have ${relation} ${bound} items`;
  return `must be ${relation} ${bound}`;
}

/** RFC 6901. */
function pointerOf(path: readonly PropertyKey[]): string {
  return path
    .map((token) => String(token).slice(0, MAX_POINTER_TOKEN_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1'))
    .map((token) => `/${token}`)
    .join('');
}

/** Walks with a list instead of recursion: what is posted may be nested deeper than the stack. */
function isBoundedJsonObject(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  let nodes = 0;
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > MAX_ARGUMENT_DEPTH || nodes > MAX_ARGUMENT_NODES) return false;
    if (!level.every(isJsonNode)) return false;
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return JSON.stringify(value).length <= MAX_TEXT_CHARACTERS;
}

function isJsonNode(value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return Array.isArray(value) || typeof value === 'object';
}
