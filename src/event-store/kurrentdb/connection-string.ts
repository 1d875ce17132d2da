/** Where the store is and how to talk to it. */
export interface ConnectionSettings {
  readonly hosts: readonly Host[];
  /** The hosts are asked who leads the cluster; otherwise the one host is talked to. */
  readonly discovers: boolean;
  readonly tls: boolean;
  /** Whoever calls; always there where connections are encrypted. */
  readonly credentials?: Credentials;
  /** Paths of PEM files: whose certificates are believed, and what this service shows of itself. */
  readonly tlsCaFile?: string;
  readonly userCertFile?: string;
  readonly userKeyFile?: string;
  readonly connectionName?: string;
  /** Milliseconds; -1 switches keep-alive off. */
  readonly keepAliveIntervalMs?: number;
  readonly keepAliveTimeoutMs?: number;
  /** How long a call may take, in milliseconds. */
  readonly deadlineMs?: number;
  readonly discoveryIntervalMs?: number;
  readonly maxDiscoverAttempts?: number;
  readonly gossipTimeoutSeconds?: number;
}

export interface Host {
  readonly address: string;
  readonly port: number;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * The connection string cannot be used. The message says what to write and repeats nothing of the string: any part of
 * one that is wrong may be part of the password.
 */
export class ConnectionStringInvalid extends Error {
  override readonly name = 'ConnectionStringInvalid';
  constructor(fault: string) {
    super(`The connection string of the event store is not usable: ${fault}`);
  }
}

type Draft = { -readonly [Key in keyof ConnectionSettings]?: ConnectionSettings[Key] };

const DEFAULT_PORT = 2113;
const FORM = /^(?:esdb|kurrentdb)(\+discover)?:\/\/([^/?]*)\/?(?:\?(.*))?$/;
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;

/** Options by their names without case, hyphens and underscores. */
const OPTIONS: ReadonlyMap<string, (draft: Draft, value: string) => void> = new Map([
  option('tls', (draft, value) => {
    draft.tls = flag('tls', value);
  }),
  option('tlsCAFile', (draft, value) => {
    draft.tlsCaFile = value;
  }),
  option('tlsVerifyCert', (_draft, value) => {
    if (!flag('tlsVerifyCert', value)) {
      throw new ConnectionStringInvalid(
        'certificates are always verified. Name the authority to believe by tlsCAFile.',
      );
    }
  }),
  option('userCertFile', (draft, value) => {
    draft.userCertFile = value;
  }),
  option('userKeyFile', (draft, value) => {
    draft.userKeyFile = value;
  }),
  option('connectionName', (draft, value) => {
    draft.connectionName = value;
  }),
  option('nodePreference', (_draft, value) => {
    // Followers lag behind, and a permission that was taken away has to count at once.
    if (value.toLowerCase() !== 'leader') throw new ConnectionStringInvalid('nodePreference can only be leader.');
  }),
  option('throwOnAppendFailure', (_draft, value) => {
    // Otherwise the client answers a conflict with a revision that is wrong.
    if (!flag('throwOnAppendFailure', value)) throw new ConnectionStringInvalid('throwOnAppendFailure has to be true.');
  }),
  option('defaultDeadline', (draft, value) => {
    draft.deadlineMs = whole('defaultDeadline', value, 1);
  }),
  option('keepAliveInterval', (draft, value) => {
    draft.keepAliveIntervalMs = whole('keepAliveInterval', value, -1);
  }),
  option('keepAliveTimeout', (draft, value) => {
    draft.keepAliveTimeoutMs = whole('keepAliveTimeout', value, -1);
  }),
  option('discoveryInterval', (draft, value) => {
    draft.discoveryIntervalMs = whole('discoveryInterval', value, 1);
  }),
  option('maxDiscoverAttempts', (draft, value) => {
    draft.maxDiscoverAttempts = whole('maxDiscoverAttempts', value, 1);
  }),
  option('gossipTimeout', (draft, value) => {
    draft.gossipTimeoutSeconds = whole('gossipTimeout', value, 1);
  }),
]);

/**
 * Reads `esdb://user:password@host:2113,host:2113?option=value&…`, with `+discover` behind the scheme when the one host
 * is a name for the whole cluster. We do this ourselves because the client prints strings that it does not understand,
 * passwords included.
 *
 * @throws {ConnectionStringInvalid}
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const [form, discover, authority = '', query = ''] = FORM.exec(text.trim()) ?? [];
  if (form === undefined) {
    throw new ConnectionStringInvalid(
      'it has the form esdb://user:password@host:2113?tls=true, with special characters of the password percent-encoded.',
    );
  }
  const at = authority.lastIndexOf('@');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map(parseHost);
  const draft: Draft = {};
  for (const [index, pair] of query.split('&').entries()) if (pair !== '') readOption(draft, pair, index);
  const settings: ConnectionSettings = {
    ...draft,
    hosts,
    discovers: discover !== undefined || hosts.length > 1,
    tls: draft.tls ?? true,
    ...(at === -1 ? {} : { credentials: parseCredentials(authority.slice(0, at)) }),
  };
  assertUsable(settings);
  return settings;
}

function assertUsable({ tls, credentials, userCertFile, userKeyFile }: ConnectionSettings): void {
  if (tls && credentials === undefined) {
    throw new ConnectionStringInvalid('an encrypted connection needs a user and a password in front of the host.');
  }
  if ((userCertFile === undefined) !== (userKeyFile === undefined)) {
    throw new ConnectionStringInvalid('userCertFile and userKeyFile only go together.');
  }
}

function parseHost(text: string): Host {
  const [, address, port] = HOST.exec(text.trim()) ?? [];
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (address === undefined || number < 1 || number > 65_535) {
    throw new ConnectionStringInvalid('a host is a name or an address, with a port from 1 to 65535 behind a colon.');
  }
  return { address, port: number };
}

function parseCredentials(text: string): Credentials {
  const colon = text.indexOf(':');
  if (colon < 1)
    throw new ConnectionStringInvalid('in front of the host stand user and password, with a colon between.');
  const credentials = { username: decoded(text.slice(0, colon)) };
  // Not enumerable, so that no inspection of an object, by a log or a debugger of the client's, shows it.
  return Object.defineProperty(credentials, 'password', { value: decoded(text.slice(colon + 1)) }) as Credentials;
}

function readOption(draft: Draft, pair: string, index: number): void {
  const equals = pair.indexOf('=');
  const name = plain(equals === -1 ? pair : pair.slice(0, equals));
  const read = OPTIONS.get(name);
  if (read === undefined || equals === -1) {
    const names = [...OPTIONS.keys()].join(', ');
    throw new ConnectionStringInvalid(`option ${index + 1} is not one of these with a value: ${names}.`);
  }
  read(draft, decoded(pair.slice(equals + 1)).trim());
}

function option(
  name: string,
  read: (draft: Draft, value: string) => void,
): [string, (draft: Draft, value: string) => void] {
  return [plain(name), read];
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}

function flag(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new ConnectionStringInvalid(`${name} is true or false.`);
  return value === 'true';
}

function whole(name: string, value: string, least: number): number {
  const number = Number(value);
  if (!/^-?\d+$/.test(value) || number < least || !Number.isSafeInteger(number)) {
    throw new ConnectionStringInvalid(`${name} is a whole number of at least ${least}.`);
  }
  return number;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConnectionStringInvalid('a % that is not followed by two hexadecimal digits has to be written %25.');
  }
}
