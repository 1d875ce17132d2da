import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const START_PATIENCE_MS = 30_000;

export const ADMIN_TOKEN = 'admin-token-of-the-tests-0123456789';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the program; absent: the built service itself. */
  readonly program?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at bodies as a client would, member by member.
type AnyBody = any;

export interface Answer<Body = AnyBody> {
  readonly status: number;
  readonly headers: Headers;
  /** As it came. */
  readonly text: string;
  /** The JSON in it; undefined where the answer is no JSON. */
  readonly body: Body;
}

export interface Request {
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Null: no token at all; absent: the administrator's. */
  readonly token?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface End {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real service in a process of its own, from the build, on a free port. */
export class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
    private readonly printed: string[],
  ) {}

  static async start(options: ServiceOptions): Promise<Service> {
    const child = spawnService(options);
    const printed: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    const address = await listening(child, printed);
    return new Service(child, address, printed);
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** Everything that the process has written to its standard streams. */
  get output(): string {
    return this.printed.join('');
  }

  /** A call below `/api/v1`, as the administrator. */
  call<Body = AnyBody>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    return this.request(method, `/api/v1${path}`, { body, headers });
  }

  /** Any request at all. */
  async request<Body = AnyBody>(
    method: string,
    path: string,
    { body, token = ADMIN_TOKEN, headers = {} }: Request = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === 'string'
                ? body
                : body instanceof Uint8Array
                  ? new Uint8Array(body)
                  : JSON.stringify(body),
          }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Puts a principal and issues it a token. */
  async principal(id: string, document: object): Promise<string> {
    await this.call('PUT', `/principals/${id}`, { enabled: true, ...document });
    return (await this.call<{ token: string }>('POST', `/principals/${id}/tokens`)).body.token;
  }

  /** As `kill -9` does it: between two instructions. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Asks it to end, and waits until it has. */
  async stop(): Promise<End> {
    return await this.end('SIGTERM');
  }

  /** How it ended, by itself or not; only then has everything that it printed arrived. */
  ended(): Promise<End> {
    const { exitCode: code, signalCode: signal } = this.child;
    if (code !== null || signal !== null) return Promise.resolve({ code, signal });
    return new Promise((resolve) => this.child.once('close', (code, signal) => resolve({ code, signal })));
  }

  private end(signal: NodeJS.Signals): Promise<End> {
    const ended = this.ended();
    this.child.kill(signal);
    return ended;
  }
}

/** The process of a service, whether or not its start succeeds. */
export function spawnService({ dataDir, env = {}, program = MAIN }: ServiceOptions): ChildProcess {
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOLDPOINT_DATA_DIR: dataDir,
      HOLDPOINT_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
      // So that erasure does not come into the histories that tests look at, except where they ask for it.
      HOLDPOINT_KEEP_CONTENT_DAYS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  spawned.push(child);
  return child;
}

const spawned: ChildProcess[] = [];
// A test that fails in its middle stops nothing: what it started ends with its file.
afterAll(() => {
  for (const child of spawned) child.kill('SIGKILL');
});

function listening(child: ChildProcess, printed: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => child.kill('SIGKILL'), START_PATIENCE_MS);
    child.once('exit', (code, signal) => {
      clearTimeout(giveUp);
      reject(new Error(`the service ended with ${code ?? signal} before it listened:\n${printed.join('')}`));
    });
    const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
    lines.on('line', (line) => {
      printed.push(`${line}\n`);
      const address = /listens on (http:\/\/[^\s"]+)/.exec(line)?.[1];
      if (address === undefined) return;
      clearTimeout(giveUp);
      resolve(address);
    });
  });
}
