import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Execution {
  readonly runId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly pid: number;
}

/** Writes down each execution of a tool of the ledger's, outside of the process that executes it, and can hold it up there. */
export class HeldLedger {
  readonly executions: Execution[] = [];
  /** Called in the middle of each execution, which goes on when this resolves. */
  whileExecuting: (execution: Execution) => Promise<void> = async () => {};

  private constructor(private readonly server: Server) {}

  static async open(): Promise<HeldLedger> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const execution = JSON.parse(body) as Execution;
      ledger.executions.push(execution);
      await ledger.whileExecuting(execution);
      response.end();
    });
    const ledger = new HeldLedger(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return ledger;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(runId: string, toolName: string): readonly Execution[] {
    return this.executions.filter((execution) => execution.runId === runId && execution.toolName === toolName);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
