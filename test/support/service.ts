import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const START_PATIENCE_MS = 30_000;

export const ADMIN_TOKEN = 'admin-token-of-the-tests-0123456789';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at bodies as a client would, member by member.
type AnyBody = any;

export interface Answer<Body = AnyBody> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The real service in a process of its own, from the build, on a free port. */
export class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
    private readonly printed: string[],
  ) {}

  static async start({ dataDir, env = {} }: ServiceOptions): Promise<Service> {
    const child = spawn(process.execPath, ['--enable-source-maps', MAIN], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        HOLDPOINT_DATA_DIR: dataDir,
        HOLDPOINT_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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

  async call<Body = AnyBody>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** As `kill -9` does it: between two instructions. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** @returns the exit code, null where a signal ended it. */
  async stop(): Promise<number | null> {
    return await this.end('SIGTERM');
  }

  private end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve(this.child.exitCode);
    return new Promise((resolve) => {
      this.child.once('exit', (code) => resolve(code));
      this.child.kill(signal);
    });
  }
}

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
