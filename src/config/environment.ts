import { resolve } from 'node:path';
import { z } from 'zod';
import { OPENID_VARIABLES, type OpenIdEnvironment, openIdFaults, openIdOf } from './openid-environment.js';
import { variable, wholeNumber } from './variables.js';

/** What a process does: take requests, execute runs, or both. */
export type Role = 'api' | 'worker';

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where the log is: in files of the data folder, or on a KurrentDB server or cluster. */
export type StoreChoice =
  | { readonly kind: 'sqlite' }
  /** The connection string holds a password: it goes to the client and nowhere else. */
  | { readonly kind: 'kurrentdb'; readonly connectionString: string };

/** The environment, read and checked once, at start. */
export interface Environment {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Absolute path. */
  readonly dataDir: string;
  readonly store: StoreChoice;
  /** 32 bytes, base64; undefined: a file in the data folder. */
  readonly masterKey: string | undefined;
  /** The one that is to follow {@link masterKey}, while that is being changed. */
  readonly nextMasterKey: string | undefined;
  /** Public address without a trailing slash; undefined: that of the request. */
  readonly baseUrl: string | undefined;
  readonly roles: readonly Role[];
  /** Segments that a worker executes at once. */
  readonly maxSegments: number;
  readonly leaseMs: number;
  /** How long the final answer of a settled run is kept, in milliseconds. */
  readonly keepOutcomeMs: number;
  /** How long the working content of a settled run is kept, in milliseconds; 0: not at all. */
  readonly keepWorkingMs: number;
  /** The first administrator's token; undefined: one is made at the first start. */
  readonly bootstrapToken: string | undefined;
  /** Undefined: every token is one that was made here. */
  readonly openId: OpenIdEnvironment | undefined;
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  /** How much one caller may ask of this process; 0 stands for no limit. */
  readonly limits: {
    readonly failedAuthenticationsPerMinute: number;
    readonly answersPerMinute: number;
    readonly startsPerMinute: number;
    readonly waitingRequests: number;
  };
}

/** Ends the start. The message has one sentence for each bad variable, and never a value: some of them are secrets. */
export class EnvironmentInvalid extends Error {
  override readonly name = 'EnvironmentInvalid';
  constructor(readonly sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MOST_SEGMENTS = 1_000;
const LONGEST_LEASE_SECONDS = 3_600;
const MOST_PER_MINUTE = 1_000_000;
const LONGEST_KEPT_DAYS = 36_500;
const DAY_MS = 86_400_000;

function masterKey() {
  const message = 'must be 32 random bytes in base64 (44 characters), such as `openssl rand -base64 32` prints';
  return variable(z.string().refine(isMasterKey, message).optional());
}

const ROLES = /^(?: *(?:api|worker) *)(?:, *(?:api|worker) *)*$/;

function rolesIn(text: string): Role[] {
  return (['api', 'worker'] as const).filter((role) => text.includes(role));
}

const EACH_VARIABLE = z.object({
  PORT: wholeNumber(0, 65_535, 3_000),
  HOST: variable(
    z
      .string()
      .regex(/^[^\s/]+$/, 'must be a host name or an address to listen on, such as 127.0.0.1')
      .default('127.0.0.1'),
  ),
  HOLDPOINT_DATA_DIR: variable(z.string().default('./data')),
  HOLDPOINT_STORE: variable(
    z
      .string()
      .regex(
        /^(sqlite$|(esdb|kurrentdb)(\+discover)?:\/\/)/,
        'must be sqlite, or the esdb:// connection string of a KurrentDB server or cluster',
      )
      .default('sqlite'),
  ),
  HOLDPOINT_MASTER_KEY: masterKey(),
  HOLDPOINT_MASTER_KEY_NEXT: masterKey(),
  HOLDPOINT_BASE_URL: variable(
    z
      .string()
      .refine(
        isPublicAddress,
        'must be the http:// or https:// address of the service, without user info, query and fragment',
      )
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  ),
  HOLDPOINT_ROLES: variable(
    z.string().regex(ROLES, 'must be api, worker, or api,worker').transform(rolesIn).default(['api', 'worker']),
  ),
  HOLDPOINT_MAX_SEGMENTS: wholeNumber(1, MOST_SEGMENTS, 16),
  HOLDPOINT_LEASE_SECONDS: wholeNumber(1, LONGEST_LEASE_SECONDS, 60),
  // Never 0: an answer that nobody can read any more would be no answer.
  HOLDPOINT_RETENTION_DAYS: wholeNumber(1, LONGEST_KEPT_DAYS, 30),
  HOLDPOINT_KEEP_CONTENT_DAYS: wholeNumber(0, LONGEST_KEPT_DAYS, 0),
  HOLDPOINT_BOOTSTRAP_TOKEN: variable(
    z
      .string()
      // What begins so is looked up as a token that was made here, or checked as one of the issuer.
      .regex(
        /^(?!hp\.|eyJ)[\x21-\x7e]{24,512}$/,
        'must have 24 to 512 visible ASCII characters without blanks, and begin with neither hp. nor eyJ',
      )
      .optional(),
  ),
  HOLDPOINT_DEMO: variable(
    z
      .enum(['0', '1'], 'must be 1 to seed the demonstration, or 0')
      .transform((value) => value === '1')
      .default(false),
  ),
  ...OPENID_VARIABLES,
  HOLDPOINT_RATE_FAILED_AUTHENTICATIONS: wholeNumber(0, MOST_PER_MINUTE, 600),
  HOLDPOINT_RATE_ANSWERS: wholeNumber(0, MOST_PER_MINUTE, 3_000),
  HOLDPOINT_RATE_STARTS: wholeNumber(0, MOST_PER_MINUTE, 3_000),
  HOLDPOINT_RATE_WAITING: wholeNumber(0, MOST_PER_MINUTE, 100),
  HOLDPOINT_LOG_LEVEL: variable(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info')),
});

const VARIABLES = EACH_VARIABLE.superRefine((read, context) => {
  for (const [name, message] of openIdFaults(read)) context.addIssue({ code: 'custom', path: [name], message });
});

/** @throws {EnvironmentInvalid} */
export function loadEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const read = VARIABLES.safeParse(env);
  if (!read.success) throw new EnvironmentInvalid(sentences(read.error));
  const { data } = read;
  return {
    port: data.PORT,
    host: data.HOST,
    dataDir: resolve(data.HOLDPOINT_DATA_DIR),
    store:
      data.HOLDPOINT_STORE === 'sqlite'
        ? { kind: 'sqlite' }
        : { kind: 'kurrentdb', connectionString: data.HOLDPOINT_STORE },
    masterKey: data.HOLDPOINT_MASTER_KEY,
    nextMasterKey: data.HOLDPOINT_MASTER_KEY_NEXT,
    baseUrl: data.HOLDPOINT_BASE_URL,
    roles: data.HOLDPOINT_ROLES,
    maxSegments: data.HOLDPOINT_MAX_SEGMENTS,
    leaseMs: data.HOLDPOINT_LEASE_SECONDS * 1_000,
    keepOutcomeMs: data.HOLDPOINT_RETENTION_DAYS * DAY_MS,
    keepWorkingMs: data.HOLDPOINT_KEEP_CONTENT_DAYS * DAY_MS,
    bootstrapToken: data.HOLDPOINT_BOOTSTRAP_TOKEN,
    openId: openIdOf(data),
    demo: data.HOLDPOINT_DEMO,
    logLevel: data.HOLDPOINT_LOG_LEVEL,
    limits: {
      failedAuthenticationsPerMinute: data.HOLDPOINT_RATE_FAILED_AUTHENTICATIONS,
      answersPerMinute: data.HOLDPOINT_RATE_ANSWERS,
      startsPerMinute: data.HOLDPOINT_RATE_STARTS,
      waitingRequests: data.HOLDPOINT_RATE_WAITING,
    },
  };
}

/** One sentence a variable, however much is wrong with it. */
function sentences(error: z.ZodError): string[] {
  const faults = new Map<string, string>();
  for (const { path, message } of error.issues) {
    const name = String(path[0]);
    if (!faults.has(name)) faults.set(name, `${name} ${message}.`);
  }
  return [...faults.values()];
}

function isMasterKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text;
}

function isPublicAddress(text: string): boolean {
  if (!/^https?:\/\/[^?#\s]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
