import { readFileSync } from 'node:fs';
import { type BaseOptions, type ChannelCredentialOptions, EventStoreDBClient } from '@eventstore/db-client';
import {
  type ConnectionSettings,
  ConnectionStringInvalid,
  type Credentials,
  parseConnectionString,
} from './connection-string.js';
import { asUnavailable, Unanswered } from './failures.js';
import { UnderWay } from './under-way.js';

export interface KurrentDbOptions {
  /** How long a call may take, in milliseconds; the connection string's `defaultDeadline` goes first. Default 3,000. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 3_000;

/** How long after a call's own deadline we stop waiting for the client to tell of it. */
const GRACE_MS = 200;

/** Stands for the user where connections are not encrypted; the client sends none of it. */
const NOBODY: Credentials = { username: 'nobody', password: '' };

/**
 * The one connection of a process to an event store; everything that uses the store shares it.
 *
 * Every call names its user, also where that is the same for all: so the client takes the unary call for appends, which
 * has a deadline, and not the one that shares a table of unanswered appends with every other connection of the process.
 */
export class KurrentDbConnection {
  readonly client: EventStoreDBClient;
  readonly deadlineMs: number;
  /** Hosts and whether the connection is encrypted, for a log line. */
  readonly description: string;
  readonly #credentials: Credentials;
  readonly #underWay = new UnderWay();
  #closed: Promise<void> | undefined;

  private constructor(settings: ConnectionSettings, deadlineMs: number) {
    this.client = connectedClient(settings);
    this.deadlineMs = settings.deadlineMs ?? deadlineMs;
    this.#credentials = settings.credentials ?? NOBODY;
    const hosts = settings.hosts.map(({ address, port }) => `${address}:${port}`).join(', ');
    this.description = `${hosts} ${settings.tls ? 'over TLS' : 'without encryption'}`;
  }

  /**
   * Connects at the first call, not here.
   *
   * @throws {ConnectionStringInvalid} also where a certificate that it names cannot be read.
   */
  static open(connectionString: string, { deadlineMs = DEADLINE_MS }: KurrentDbOptions = {}): KurrentDbConnection {
    return new KurrentDbConnection(parseConnectionString(connectionString), deadlineMs);
  }

  /** What every call is made with. Only the leader is asked: a follower may not know yet what was acknowledged. */
  get callOptions(): Required<BaseOptions> {
    return { credentials: this.#credentials, requiresLeader: true, deadline: this.deadlineMs };
  }

  /** Fires when the connection is closed. */
  get closing(): AbortSignal {
    return this.#underWay.closing;
  }

  /** @throws {StoreUnavailable} the connection is closed. */
  assertOpen(): void {
    this.#underWay.assertOpen();
  }

  /** Does something that closing waits for. @throws {StoreUnavailable} the connection is closed. */
  during<T>(action: () => Promise<T>): Promise<T> {
    return this.#underWay.run(action);
  }

  /**
   * A call that changes something, with a limit of our own: the client's deadline does not cover what comes before the
   * call, such as finding the leader.
   *
   * @param known turns errors that say something of the request into what is to be thrown.
   * @throws {StoreUnavailable}
   */
  async change<T>(call: () => Promise<T>, known: (error: unknown) => Error | undefined): Promise<T> {
    try {
      return await answered(call(), this.deadlineMs + GRACE_MS);
    } catch (error) {
      throw known(error) ?? asUnavailable(error, true);
    }
  }

  /** Settles what is under way and lets go of the connection, so that the process can end. */
  close(): Promise<void> {
    this.#closed ??= this.#underWay.close().then(() => this.client.dispose());
    return this.#closed;
  }
}

function connectedClient(settings: ConnectionSettings): EventStoreDBClient {
  const { hosts, discovers, connectionName, keepAliveIntervalMs, keepAliveTimeoutMs, credentials } = settings;
  const [host] = hosts;
  if (host === undefined) throw new ConnectionStringInvalid('it names no host.');
  const common = {
    ...(connectionName === undefined ? {} : { connectionName }),
    ...(keepAliveIntervalMs === undefined ? {} : { keepAliveInterval: keepAliveIntervalMs }),
    ...(keepAliveTimeoutMs === undefined ? {} : { keepAliveTimeout: keepAliveTimeoutMs }),
  };
  // Few and short attempts: the call for which the leader is looked for does not wait longer anyway.
  const discovery = {
    ...common,
    discoveryInterval: settings.discoveryIntervalMs ?? 100,
    maxDiscoverAttempts: settings.maxDiscoverAttempts ?? 3,
    gossipTimeout: settings.gossipTimeoutSeconds ?? 2,
  };
  const channel = channelCredentials(settings);
  const client = !discovers
    ? new EventStoreDBClient({ ...common, endpoint: host }, channel, credentials)
    : hosts.length > 1
      ? new EventStoreDBClient({ ...discovery, endpoints: [...hosts] }, channel, credentials)
      : new EventStoreDBClient({ ...discovery, discover: host }, channel, credentials);
  outliveFailedReconnections(client);
  return client;
}

/**
 * After a failed call the client looks whether it has to connect anew, and nobody waits for that. While no node of a
 * cluster can be found, the look itself fails, and a rejection that nobody handles would end the process.
 */
function outliveFailedReconnections(client: EventStoreDBClient): void {
  const inner = client as unknown as { handleError: (...args: readonly unknown[]) => Promise<void> };
  const handleError = inner.handleError;
  inner.handleError = async (...args) => {
    try {
      await handleError(...args);
    } catch {
      // The next call finds out for itself, and says so to whoever makes it.
    }
  };
}

function channelCredentials({
  tls,
  tlsCaFile,
  userCertFile,
  userKeyFile,
}: ConnectionSettings): ChannelCredentialOptions {
  if (!tls) return { insecure: true };
  return {
    ...(tlsCaFile === undefined ? {} : { rootCertificate: fileOf('tlsCAFile', tlsCaFile) }),
    ...(userCertFile === undefined ? {} : { userCertFile: fileOf('userCertFile', userCertFile) }),
    ...(userKeyFile === undefined ? {} : { userKeyFile: fileOf('userKeyFile', userKeyFile) }),
  };
}

function fileOf(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'it is no file';
    throw new ConnectionStringInvalid(`the file that ${option} names cannot be read: ${reason}.`);
  }
}

/** What the promise comes to, within so many milliseconds. @throws {Unanswered} */
function answered<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unanswered()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
