import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { compilePrograms, exitOf, nextMessage, startProgram } from '../compiled-processes.js';
import { scratchFolder } from '../scratch-folder.js';
import type { Command, Listening, Question, Reply, Start } from './commands.js';
import { type Faults, HEALTHY } from './faults.js';
import type { Certificate } from './server.js';

/** An event store in a process of its own, on a free port of this machine, that does wrong what it is told to. */
export class EventStoreDouble {
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #asked = 0;

  private constructor(
    private readonly folder: ReturnType<typeof scratchFolder>,
    private readonly start: Start,
    private child: ChildProcess,
    readonly port: number,
  ) {
    this.#listen();
  }

  /** @param certificate makes all connections encrypted; users have to say who they are then. */
  static async start(certificate?: Certificate): Promise<EventStoreDouble> {
    const folder = scratchFolder();
    compilePrograms(folder.path, 'eventstore-double');
    const start: Start = {
      port: 0,
      journal: join(folder.path, 'journal'),
      ...(certificate === undefined ? {} : { certificate }),
    };
    const { child, port } = await launched(folder.path, start);
    return new EventStoreDouble(folder, { ...start, port }, child, port);
  }

  /** For unencrypted connections to this one node. */
  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** From now on these things go wrong, and no others. */
  async breaks(faults: Partial<Faults>): Promise<void> {
    await this.#ask({ do: 'break', faults: { ...HEALTHY, ...faults } });
  }

  async heals(): Promise<void> {
    await this.breaks({});
  }

  async cutsConnections(): Promise<void> {
    await this.#ask({ do: 'cut_connections' });
  }

  /** Connections stay, and nothing goes through them. */
  async freezes(): Promise<void> {
    await this.#ask({ do: 'freeze' });
  }

  async thaws(): Promise<void> {
    await this.#ask({ do: 'thaw' });
  }

  /** Nobody can connect any more, and whoever is connected is cut off; the log stays. */
  async leaves(): Promise<void> {
    await this.#ask({ do: 'leave' });
  }

  async returns(): Promise<void> {
    await this.#ask({ do: 'return' });
  }

  /** Ends all subscriptions as if all were well. */
  async endsSubscriptions(): Promise<void> {
    await this.#ask({ do: 'end_subscriptions' });
  }

  /** @param code of gRPC. */
  async failsSubscriptions(code: number, details: string): Promise<void> {
    await this.#ask({ do: 'fail_subscriptions', code, details });
  }

  /** How many calls of each kind there were since the process started. */
  async calls(): Promise<Readonly<Record<string, number>>> {
    return (await this.#ask({ do: 'count_calls' })).calls;
  }

  /** Kills the process, as a power cut would. */
  async crashes(): Promise<void> {
    this.child.kill('SIGKILL');
    await exitOf(this.child);
  }

  /** Starts it again on the same port, with everything that it had acknowledged. */
  async restarts(): Promise<void> {
    const { child } = await launched(this.folder.path, this.start);
    this.child = child;
    this.#listen();
  }

  async stop(): Promise<void> {
    await this.crashes();
    this.folder.remove();
  }

  #listen(): void {
    this.child.on('message', (reply: Reply) => {
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
  }

  #ask(command: Command): Promise<Reply> {
    this.#asked += 1;
    const question: Question = { id: this.#asked, command };
    return new Promise((resolve) => {
      this.#waiting.set(question.id, resolve);
      this.child.send(question);
    });
  }
}

async function launched(folder: string, start: Start): Promise<{ child: ChildProcess; port: number }> {
  const child = startProgram(folder, 'eventstore-double', JSON.stringify(start));
  const { port } = await nextMessage<Listening>(child);
  return { child, port };
}
